"""A Model Context Protocol server on standard input and output: `python -m kvbudget.mcp`.

Three tools, each a request of kvbudget.ask; see https://modelcontextprotocol.io for the protocol (JSON-RPC, a line each).
"""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO

from . import Error, ask, version

PROTOCOL = "2024-11-05"
_TEXT = {"type": "string"}

TOOLS: list[dict[str, Any]] = [
    {
        "name": "plan",
        "description": "Whether an LLM server starts on a GPU, where every byte of its memory goes, what is missing or which "
        "settings to use. Give model and gpu, or a serve line; further members are the engine's flags with underscores.",
        "inputSchema": {
            "type": "object",
            "properties": {"model": _TEXT, "gpu": _TEXT, "engine": _TEXT, "line": _TEXT, "against": _TEXT},
            "additionalProperties": True,
        },
    },
    {
        "name": "explain",
        "description": "What the log of a started or failed LLM server says, which line broke the memory budget, what fixes it.",
        "inputSchema": {"type": "object", "properties": {"log": _TEXT, "gpu": _TEXT}, "required": ["log"]},
    },
    {
        "name": "check",
        "description": "Every deployment in files and folders (compose, Kubernetes, scripts, profiles), judged.",
        "inputSchema": {
            "type": "object",
            "properties": {"paths": {"type": "array", "items": _TEXT}, "gpu": _TEXT},
            "required": ["paths"],
        },
    },
]


class _Refused(Exception):
    def __init__(self, code: int, text: str) -> None:
        self.code = code
        super().__init__(text)


def _call(parameters: dict[str, Any]) -> dict[str, Any]:
    name = parameters.get("name")
    if name not in [tool["name"] for tool in TOOLS]:
        raise _Refused(-32602, f"no tool is named {name!r}")
    try:
        text, failed = json.dumps(ask({"command": name, **parameters.get("arguments", {})})), False
    except Error as error:
        text, failed = str(error), True
    return {"content": [{"type": "text", "text": text}], "isError": failed}


def answer(message: dict[str, Any]) -> dict[str, Any] | None:
    """The result of one message; None for a notification."""
    method, parameters = message.get("method"), message.get("params") or {}
    if "id" not in message:
        return None
    if method == "initialize":
        about = {"name": "kvbudget", "version": version()}
        return {"protocolVersion": PROTOCOL, "capabilities": {"tools": {}}, "serverInfo": about}
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        return _call(parameters)
    raise _Refused(-32601, f"no method is named {method!r}")


def serve(lines: TextIO, out: TextIO) -> None:
    """Answers line by line until the input ends."""
    for line in lines:
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": None}
        try:
            message = json.loads(line)
            if not isinstance(message, dict):
                raise _Refused(-32600, "a message is an object")
            reply["id"] = message.get("id")
            result = answer(message)
            if result is None:
                continue
            reply["result"] = result
        except ValueError:
            reply["error"] = {"code": -32700, "message": "this is no JSON"}
        except _Refused as refused:
            reply["error"] = {"code": refused.code, "message": str(refused)}
        out.write(json.dumps(reply) + "\n")
        out.flush()


if __name__ == "__main__":
    serve(sys.stdin, sys.stdout)
