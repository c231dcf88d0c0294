#!/usr/bin/env bash
# Guess: an optional argument that the model leaves out of a tool call is left out of the request to the MCP server, as
#   with every other client.
# Happens (crewai 1.15.30 with mcpadapt 0.1.19): arguments that the model left out are sent as null, precisely where the
#   schema allows null; where it does not, they are left out.
# Why it matters: servers allow null where it means something: "null removes the assignee". A crew that renames an issue
#   also takes away its assignee and due date, and the result reads like a success.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . @modelcontextprotocol/sdk@1.32.2 zod@4.6.7 > /dev/null
python3 -m venv --without-pip venv
install() {
  python3 -m pip --python venv/bin/python install --quiet --disable-pip-version-check "$@" 2> pip.log ||
    (cat pip.log && false)
}
# Of crewai's dependencies only what `crewai.tools` imports: all of them take a gigabyte.
install --no-deps crewai==1.15.30 crewai-core==1.15.30 chromadb==1.5.9
install mcpadapt==0.1.19 mcp==1.30.0 pydantic==2.12.5 \
  pydantic-settings==2.16.3 openai==2.54.0 aiofiles==24.1.0 aiosqlite==0.21.0 appdirs==1.4.4 bcrypt==5.0.0 \
  cryptography==50.0.2 google-re2==1.1.20251105 grpcio==1.85.3 jinja2==3.1.6 json-repair==0.60.1 json5==0.10.0 \
  jsonref==1.1.0 numpy==2.4.6 opentelemetry-sdk==1.45.2 opentelemetry-exporter-otlp-proto-grpc==1.45.2 \
  opentelemetry-exporter-otlp-proto-http==1.45.2 orjson==3.13.0 overrides==7.7.0 portalocker==2.7.0 pybase64==1.5.1 \
  requests==2.34.2 rich==14.3.4 tenacity==9.2.1 tomli==2.0.2 watchfiles==1.3.0 \
  packaging==26.4 pyyaml==6.0.4
cat > server.mjs <<'JS'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';
const server = new McpServer({ name: 'issues', version: '1.0.0' });
const inputSchema = {
  id: z.string(),
  title: z.string().optional(),
  estimate: z.number().optional(),
  assignee: z.string().nullable().optional().describe('null removes the assignee'),
};
server.registerTool('update_issue', { inputSchema }, async (args) => ({
  content: [{ type: 'text', text: JSON.stringify(args) }],
}));
await server.connect(new StdioServerTransport());
JS
cat > probe.py <<'PY'
import json
import sys
from importlib.metadata import version

from mcp import StdioServerParameters
from mcpadapt.core import MCPAdapt
from mcpadapt.crewai_adapter import CrewAIAdapter

with MCPAdapt(StdioServerParameters(command="node", args=["server.mjs"]), CrewAIAdapter()) as tools:
    received = json.loads(tools[0].run(id="ENG-1", title="New title"))
print("crewai", version("crewai"), "mcpadapt", version("mcpadapt"), "the server received", received)
sys.exit(received != {"id": "ENG-1", "title": "New title", "assignee": None})
PY
CREWAI_DISABLE_TELEMETRY=true OTEL_SDK_DISABLED=true venv/bin/python probe.py
