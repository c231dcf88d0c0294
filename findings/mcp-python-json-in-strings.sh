#!/usr/bin/env bash
# Guess: a tool of the Python SDK of MCP with an argument `str | None` or `str | dict` receives the string that was
#   sent.
# Happens (mcp 2.3.0): unless the annotation is `str` alone, a string that is valid JSON of a list, an object or null is
#   parsed first. "null" arrives as None, '{"a": 1}' as a dict; for `str | None`, a JSON text is rejected as "not a
#   string".
# Why it matters: tools that write files, messages or titles make the text optional. A text "null" clears the field, and
#   JSON loses its spelling: the digits of numbers, equal keys, spaces.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check mcp==2.3.0
cat > probe.py <<'PY'
import asyncio
import sys
from importlib.metadata import version

from mcp.server.mcpserver import MCPServer

server = MCPServer("probe")
received = []


@server.tool()
def save(title: str | None = "unchanged", body: str | dict = "", plain: str = "") -> str:
    received.append((title, body, plain))
    return "saved"


async def main():
    for arguments in ({"title": "null"}, {"body": '{"a": 1.10, "a": 2.50}'}, {"plain": "null"}):
        await server.call_tool("save", arguments)
        print("mcp", version("mcp"), "sent", arguments, "received", received[-1])
    try:
        await server.call_tool("save", {"title": '{"a": 1}'})
    except Exception as error:
        print("sent {'title': '{\"a\": 1}'}:", str(error).split(" [")[0].replace("\n", " "))


asyncio.run(main())
expected = [(None, "", ""), ("unchanged", {"a": 2.5}, ""), ("unchanged", "", "null")]
sys.exit(received != expected)
PY
venv/bin/python probe.py
