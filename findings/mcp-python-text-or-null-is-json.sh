#!/usr/bin/env bash
# Guess: a tool of the Python SDK of MCP with `body: str | None` receives the text that the client sends, as with `body: str`.
# Happens (mcp 2.3.0): for every type but `str` itself, a text that is JSON is parsed first. "null" arrives as None, and
#   '["a"]' or '{"a": 1}' is refused as "not a valid string". With `str | dict`, the text '{"id": "7", "id": "8"}' arrives
#   as a dict. Texts such as "12" and "true" are kept, and FastMCP 4.2.3 keeps all.
# Why it matters: an optional text is the usual type for the body of a note, comment or file. An agent that writes a JSON
#   file cannot, whatever it tries, and the word "null" clears a field.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check mcp==2.3.0
cat > probe.py <<'PY'
import asyncio
import sys

from mcp import Client
from mcp.server import MCPServer

server = MCPServer("server")
received = {}


@server.tool()
def save(text: str = "", optional: str | None = "unset", either: str | dict = "unset") -> str:
    received.update(text=text, optional=optional, either=either)
    return "saved"


async def send(name, value):
    received.clear()
    async with Client(server) as client:
        await client.call_tool("save", {name: value})
    return received.get(name, "refused")


texts = ["null", '["a"]', '{"id": "7", "id": "8"}', "12"]
expected = {
    "text": texts,
    "optional": [None, "refused", "refused", "12"],
    "either": ["refused", "refused", {"id": "8"}, "12"],
}
found = {name: [asyncio.run(send(name, text)) for text in texts] for name in expected}
print("mcp 2.3.0, sent:", texts)
for name, values in found.items():
    print(f"{name}:", values)
sys.exit(found != expected)
PY
venv/bin/python -W ignore probe.py 2> log.txt || { cat log.txt; exit 1; }
