#!/usr/bin/env bash
# Guess: `@linear/sdk` raises `AuthenticationLinearError` when Linear refuses the key, and another error when a proxy or a
#   gateway responds with 404, 408 or 413.
# Happens (@linear/sdk 98.0.0): every status from 400 to 499 but 403 and 429 is an `AuthenticationLinearError` of the
#   type "AuthenticationError", unless the body contains errors in Linear's format.
# Why it matters: programs react to this class by asking a person to connect again, or by deleting the stored grant. An
#   upload that is too large or a wrong path in a proxy then disconnects every account.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @linear/sdk@98.0.0
cat > probe.mjs <<'JS'
import { createServer } from 'node:http';
import { LinearClient } from '@linear/sdk';

let status = 0;
const server = createServer((_request, response) => {
  response.writeHead(status, { 'content-type': 'text/html' }).end('<html><h1>From a proxy</h1></html>');
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const client = new LinearClient({ apiKey: 'key', apiUrl: `http://127.0.0.1:${server.address().port}/graphql` });
const types = [];
for (status of [403, 404, 408, 413, 429, 502]) {
  await client.teams().catch((error) => types.push(`${status} ${error.type}`));
}
console.log('@linear/sdk 98.0.0:', types.join(', '));
const authentication = types.filter((type) => type.endsWith('AuthenticationError')).map((type) => type.slice(0, 3));
process.exit(types.length === 6 && authentication.join() === '404,408,413' ? 0 : 1);
JS
node probe.mjs
