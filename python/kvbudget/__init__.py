"""Whether an LLM server will start, where every byte of GPU memory goes, and what to set instead.

Every function returns the document that the command of the same name prints with --json, as plain data:

    >>> import kvbudget
    >>> answer = kvbudget.plan("Qwen/Qwen3-8B", gpu="l4", max_model_len=4096)
    >>> answer["verdict"]
    'fits'

What cannot be understood raises `kvbudget.Error`, whose `problems` hold file, line, column and text. The library does
its work without Python's lock, so that threads may ask side by side.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from os import PathLike, fspath
from typing import Any

from ._library import Error, ask, version

__all__ = ["Error", "ask", "check", "explain", "models", "plan", "sweep", "version"]

Document = dict[str, Any]


def _request(command: str, members: Mapping[str, Any]) -> dict[str, Any]:
    return {"command": command, **{name: value for name, value in members.items() if value is not None}}


def plan(
    model: str | None = None,
    *,
    gpu: str | None = None,
    engine: str | None = None,
    line: str | Sequence[str] | None = None,
    deployment: Mapping[str, Any] | None = None,
    **flags: Any,
) -> Document:
    """Will it start, and what to set instead.

    `line` is a serve command as one types it, `deployment` the keys of a deployment profile; further keywords are flags
    of `kvbudget plan` with underscores: `max_model_len=4096`, `against="vllm@0.11.0"`.
    """
    named = {"model": model, "gpu": gpu, "engine": engine, "line": line, "deployment": deployment}
    return ask(_request("plan", {**named, **flags}))


def explain(log: str, **flags: Any) -> Document:
    """What the text of a run's log says, which line broke the budget, and what fixes it."""
    return ask(_request("explain", {"log": log, **flags}))


def check(paths: str | PathLike[str] | Iterable[str | PathLike[str]], **flags: Any) -> Document:
    """Every deployment in files and folders, judged."""
    listed = [paths] if isinstance(paths, (str, PathLike)) else list(paths)
    return ask(_request("check", {"paths": [fspath(path) for path in listed], **flags}))


def models(gpu: str, **flags: Any) -> Document:
    """Which built-in models start on a card."""
    return ask(_request("models", {"gpu": gpu, **flags}))


def sweep(**lists: Any) -> Iterator[Document]:
    """One plan for every combination: `sweep(model=["A", "B"], gpu=["l4", "h100"], max_model_len=[4096, 8192])`.

    Each row is planned when it is asked for.
    """
    names = list(lists)
    values = [list(value) if isinstance(value, (list, tuple, range)) else [value] for value in lists.values()]
    for combination in product(*values):
        varied = dict(zip(names, combination))
        yield {"varied": varied, "plan": ask(_request("plan", varied))}
