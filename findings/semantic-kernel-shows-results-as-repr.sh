#!/usr/bin/env bash
# Guess: Semantic Kernel gives a model the text of an MCP tool's result, and says so when the tool reports an error.
# Happens (semantic-kernel 1.45.0, Python): the model reads Python's representation of the list of content objects: each
#   text stands in it twice, between the names of internal fields, with line breaks escaped. `isError` is dropped: a
#   failed call looks like a successful one.
# Why it matters: results of tools cost more than twice their tokens, and a tool that relies on `isError`, as the
#   protocol says, makes the model report a write that was refused as done. Say in the text that a call failed.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'semantic-kernel[mcp]==1.45.0' mcp==1.30.0
cat > server.py <<'PY'
from mcp.server.fastmcp import FastMCP
from mcp.types import CallToolResult, TextContent

server = FastMCP("issues")


@server.tool()
def close_issue(refused: bool) -> CallToolResult:
    texts = ["ENG-1 belongs to another team"] if refused else ["ENG-1 closed", "Left:\n3"]
    return CallToolResult(content=[TextContent(type="text", text=text) for text in texts], isError=refused)


server.run()
PY
cat > probe.py <<'PY'
import asyncio
import json
import sys
from importlib.metadata import version

from semantic_kernel import Kernel
from semantic_kernel.connectors.mcp import MCPStdioPlugin
from semantic_kernel.contents import ChatHistory, FunctionCallContent


async def main():
    async with MCPStdioPlugin(name="issues", command="venv/bin/python", args=["server.py"]) as plugin:
        kernel = Kernel()
        kernel.add_plugin(plugin, "issues")
        history = ChatHistory()
        for arguments in ({"refused": False}, {"refused": True}):
            call = FunctionCallContent(id="1", name="issues-close_issue", arguments=json.dumps(arguments))
            await kernel.invoke_function_call(call, history)
        done, refused = [message.to_dict()for message in history.messages]
    print("semantic-kernel", version("semantic-kernel"))
    print("two texts:", done["content"])
    print("an error: ", refused)
    twice = done["content"].count("ENG-1 closed") == 2 and "Left:\\n3" in done["content"]
    silent = "error" not in json.dumps(refused).lower()
    sys.exit(not (twice and silent))


asyncio.run(main())
PY
venv/bin/python probe.py
