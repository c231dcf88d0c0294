#!/usr/bin/env bash
# Guess: msw intercepts `import { get } from 'node:http'` like `http.get`, as both are the same function of Node.
# Happens (msw 2.15.0 and 3.0.5, Node 24.21.0): a named import reaches the real server, silently, although unhandled
#   requests are set to fail. With msw 3, the first call to a host decides for both, because a connection that is kept
#   alive stays real or mocked: after a named `get`, `http.get` is real too; after `http.get`, a named one is mocked.
# Why it matters: a test of code that imports `get` or `request` by name calls the real API, and with msw 3 the order of
#   tests decides whether the others do.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "type": "module", "private": true }' > package.json
npm install --silent --no-audit --no-fund node@24.21.0 msw2@npm:msw@2.15.0 msw3@npm:msw@3.0.5
cat > probe.mjs <<'JS'
import http, { get } from 'node:http';

const [name, expected] = process.argv.slice(2);
const { setupServer } = await import(`${name}/node`);
const { http: on, HttpResponse } = await import(name);

/** The bodies that these calls get, one after the other, from a server of their own. */
async function bodies(...calls) {
  const server = http.createServer((_, response) => response.end('real')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${server.address().port}/`;
  const msw = setupServer(on.get(url, () => HttpResponse.text('mock')));
  msw.listen({ onUnhandledRequest: 'error', onUnhandledFrame: 'error' });
  const texts = [];
  for (const call of calls) {
    const response = await new Promise((resolve, reject) => call(url, resolve).on('error', reject));
    texts.push((await response.toArray()).join(''));
  }
  msw.close();
  server.close();
  server.closeAllConnections();
  return texts.join(', ');
}

// Looked up at each call, since msw replaces it.
const viaDefault = (...request) => http.get(...request);
const seen = `named, default: ${await bodies(get, viaDefault)}; default, named: ${await bodies(viaDefault, get)}`;
console.log(`${name} on Node ${process.versions.node}: ${seen}`);
if (seen !== expected) process.exit(1);
JS
node=./node_modules/.bin/node
"$node" probe.mjs msw2 'named, default: real, mock; default, named: mock, real'
"$node" probe.mjs msw3 'named, default: real, real; default, named: mock, mock'
