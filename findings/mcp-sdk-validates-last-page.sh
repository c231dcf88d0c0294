#!/usr/bin/env bash
# Guess: after `listTools`, the TypeScript SDK of MCP checks structured results of every listed tool against its
#   `outputSchema`, whether the server lists its tools on one page or on several.
# Happens (@modelcontextprotocol/sdk 1.32.2): every page replaces what is known of the pages before it, so only results of
#   the last page's tools are checked; the others reach the program as they are. The same is forgotten of a tool that
#   requires tasks. @modelcontextprotocol/client 2.4.0 reads all pages and checks all; neither checks before a list.
# Why it matters: an agent's program relies on the checked type of `structuredContent`. It loses the check once a server
#   has more tools than fit on a page, without an error, and tests with few tools do not show it.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/server@2.4.0
cat > probe.mjs <<'JS'
import assert from 'node:assert';
import * as next from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Server as NextServer } from '@modelcontextprotocol/server';

const outputSchema = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] };
const tool = (name) => ({ name, inputSchema: { type: 'object' }, outputSchema });
const list = ({ params }) =>
  params?.cursor ? { tools: [tool('second')] } : { tools: [tool('first')], nextCursor: 'page 2' };
const call = () => ({ content: [], structuredContent: { total: 'many' } });

async function checkedTools(client, server, [one, other]) {
  await Promise.all([server.connect(one), client.connect(other)]);
  let cursor;
  do cursor = (await client.listTools(cursor && { cursor })).nextCursor;
  while (cursor);
  const isChecked = (name) => client.callTool({ name }).then(() => false, () => true);
  return { first: await isChecked('first'), second: await isChecked('second') };
}

const [identity, options] = [{ name: 'probe', version: '1' }, { capabilities: { tools: {} } }];
const server = new Server(identity, options);
server.setRequestHandler(ListToolsRequestSchema, list);
server.setRequestHandler(CallToolRequestSchema, call);
const old = await checkedTools(new Client(identity), server, InMemoryTransport.createLinkedPair());
const nextServer = new NextServer(identity, options);
nextServer.setRequestHandler('tools/list', list);
nextServer.setRequestHandler('tools/call', call);
const all = await checkedTools(new next.Client(identity), nextServer, next.InMemoryTransport.createLinkedPair());
console.log('checked by sdk 1.32.2:', old, 'by client 2.4.0:', all);
assert.deepStrictEqual([old, all], [{ first: false, second: true }, { first: true, second: true }]);
JS
node probe.mjs
