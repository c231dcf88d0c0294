#!/usr/bin/env bash
# Guess: a tool of an MCP server reaches the model of a LlamaIndex agent with the input schema that the server lists.
# Happens (llama-index-tools-mcp 0.6.0): the schema is rebuilt by way of pydantic models. An object written in place, as
#   every schema from Zod is, becomes "any object": its fields, their descriptions and which of them are required are
#   gone, in lists, too. `minimum`, `maxLength`, `pattern` and `format` disappear everywhere.
# Why it matters: the model has to guess the names inside of a filter or an address. Servers that accept unknown fields
#   then run an unfiltered search or store half a record, and nobody sees that the model never knew the names.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . @modelcontextprotocol/sdk@1.32.2 zod@4.6.7 > /dev/null
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check llama-index-tools-mcp==0.6.0 mcp==2.3.0
cat > server.mjs <<'JS'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
const server = new McpServer({ name: 'issues', version: '1.0.0' });
const inputSchema = {
  team: z.string().regex(/^[A-Z]+$/),
  first: z.number().int().min(1).max(50),
  filter: z.object({ state: z.enum(['open', 'done']).describe('State of the issue'), assignee: z.string().optional() }),
};
server.registerTool('list_issues', { inputSchema }, async (args) => ({
  content: [{ type: 'text', text: JSON.stringify(args) }],
}));
await server.connect(new StdioServerTransport());
JS
cat > probe.py <<'PY'
import asyncio
import sys
from importlib.metadata import version

from llama_index.tools.mcp import BasicMCPClient, McpToolSpec


async def main():
    client = BasicMCPClient("node", args=["server.mjs"])
    listed = (await client.list_tools()).tools[0].model_dump(by_alias=True)["inputSchema"]["properties"]
    tool = (await McpToolSpec(client=client).to_tool_list_async())[0]
    shown = tool.metadata.get_parameters_dict()["properties"]
    print("llama-index-tools-mcp", version("llama-index-tools-mcp"))
    for name in ("team", "first", "filter"):
        print(name, "listed:", listed[name], "shown to the model:", shown[name])
    hidden = "properties" not in shown["filter"] and "state" in listed["filter"]["properties"]
    sys.exit(not (hidden and "maximum" not in shown["first"] and "pattern" not in shown["team"]))


asyncio.run(main())
PY
venv/bin/python probe.py
