"""The shared library and the one call that everything goes through."""

from __future__ import annotations

import ctypes
import json
import os
from pathlib import Path
from typing import Any


class Error(Exception):
    """A request that could not be answered; `problems` are the document's, each with its place."""

    def __init__(self, problems: list[dict[str, Any]]) -> None:
        self.problems = problems
        errors = [problem for problem in problems if problem.get("severity") == "error"]
        super().__init__("; ".join(_sentence(problem) for problem in errors) or "the request could not be answered")


def _sentence(problem: dict[str, Any]) -> str:
    place = ":".join(str(problem[key]) for key in ("file", "line", "column") if problem.get(key) is not None)
    return f"{place}: {problem['text']}" if place else str(problem["text"])


def _open() -> ctypes.CDLL:
    folder = Path(__file__).parent
    for needed in ("libyaml-0.so.2", "libcyaml.so.1"):  # a wheel brings them along
        if (folder / needed).exists():
            ctypes.CDLL(str(folder / needed), mode=ctypes.RTLD_GLOBAL)
    beside = folder / "libkvbudget.so"
    installed = "libkvbudget.so.0.2"
    name = os.environ.get("KVBUDGET_LIBRARY") or (str(beside) if beside.exists() else installed)
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(f"{error}; KVBUDGET_LIBRARY names the shared library of kvbudget") from error
    library.kvb_ask.argtypes = [ctypes.c_char_p]
    library.kvb_ask.restype = ctypes.c_void_p
    library.kvb_ask_free.argtypes = [ctypes.c_void_p]
    library.kvb_ask_free.restype = None
    library.kvb_version.argtypes = []
    library.kvb_version.restype = ctypes.c_char_p
    return library


_library = _open()


def version() -> str:
    """The library's own version."""
    return _library.kvb_version().decode()


def ask(request: Any) -> dict[str, Any]:
    """One request, one document; see docs/ask.md of the project."""
    answer = _library.kvb_ask(json.dumps(request).encode("ascii"))
    if not answer:
        raise MemoryError("kvbudget ran out of memory")
    try:
        document: dict[str, Any] = json.loads(ctypes.string_at(answer))
    finally:
        _library.kvb_ask_free(answer)
    if document.get("exit_code", 0) >= 2:  # only a document without an answer has it
        raise Error(document.get("problems", []))
    return document
