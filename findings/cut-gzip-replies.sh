#!/usr/bin/env bash
# Guess: HTTP clients raise when a gzip body ends before its last block, as they do when Content-Length is not reached.
# Happens (requests 2.34.2, httpx 0.28.1, axios 1.21.1, fetch of Node): when the reply is delimited by the end of the
#   connection, they return what they could decompress, with status 200 and no error. got 14.6.6 raises, Go's client
#   does.
# Why it matters: NDJSON and CSV exports behind a proxy that was restarted end early on a line like any other. A full
#   sync then deletes the records that it did not see.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "type": "module", "private": true }' > package.json
npm install --silent --no-audit --no-fund axios@1.21.1 got@14.6.6
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check requests==2.34.2 urllib3==2.8.0 httpx==0.28.1
cat > probe.py <<'PY'
import sys

import httpx
import requests

url = sys.argv[1]
print("requests", requests.get(url).text.count("\n"))
print("httpx", httpx.get(url).text.count("\n"))
PY
cat > probe.mjs <<'JS'
import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import axios from 'axios';
import got from 'got';

const records = Array.from({ length: 20_000 }, (_, id) => `${JSON.stringify({ id, value: Math.sin(id) })}\n`).join('');
const body = gzipSync(records);
const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n';
const server = createServer((socket) =>
  socket.once('data', () => socket.end(Buffer.concat([Buffer.from(head), body.subarray(0, body.length / 2)]))),
).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const url = `http://127.0.0.1:${server.address().port}/`;

const lines = (text) => text.split('\n').length - 1;
const python = await promisify(execFile)('venv/bin/python', ['probe.py', url]);
const counts = Object.fromEntries(python.stdout.trim().split('\n').map((line) => line.split(' ')));
counts.fetch = lines(await (await fetch(url)).text());
counts.axios = lines((await axios.get(url, { responseType: 'text' })).data);
const reply = got(url, { retry: { limit: 0 } });
counts.got = await reply.then((response) => lines(response.body), (error) => error.code);
server.close();
console.log('lines of 20000 on Node', process.versions.node, counts);
const partial = ['requests', 'httpx', 'fetch', 'axios'].every((name) => counts[name] > 5000 && counts[name] < 15_000);
if (!partial || counts.got !== 'Z_BUF_ERROR') process.exit(1);
JS
node probe.mjs
