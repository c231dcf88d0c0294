#!/usr/bin/env bash
# Guess: after `refresh()`, simple-oauth2 keeps the refresh token when the reply contains no new one, as RFC 6749 (6)
#   and the OAuth libraries of Python and Google do.
# Happens (simple-oauth2 5.1.0): `refresh_token` of the new token is undefined. The first refresh works; the next one
#   sends an empty `refresh_token`. google-auth-library 10.9.1 keeps the old one in `credentials` (not in the `tokens`
#   event, which has none either).
# Why it matters: many servers issue a refresh token only once. A connector that stores the token it was given works for
#   one more hour after the first refresh, then each user has to connect again.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund simple-oauth2@5.1.0 google-auth-library@10.9.1
cat > probe.mjs <<'JS'
import { createServer } from 'node:http';
import { OAuth2Client } from 'google-auth-library';
import { AuthorizationCode } from 'simple-oauth2';

const requests = [];
const reply = JSON.stringify({ access_token: 'second', token_type: 'Bearer', expires_in: 3600 });
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    requests.push(new URLSearchParams(body).get('refresh_token'));
    response.setHeader('content-type', 'application/json').end(reply);
  });
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const host = `http://127.0.0.1:${server.address().port}`;

const auth = { tokenHost: host, tokenPath: '/token' };
const simple = new AuthorizationCode({ client: { id: 'app', secret: 'secret' }, auth });
const first = simple.createToken({ access_token: 'first', refresh_token: 'R1', expires_in: 3600 });
const second = await first.refresh();
await second.refresh();

const google = new OAuth2Client({ clientId: 'app', clientSecret: 'secret', endpoints: { oauth2TokenUrl: `${host}/token` } });
google.setCredentials({ refresh_token: 'R1' });
const { credentials } = await google.refreshAccessToken();
server.close();
console.log('simple-oauth2 after a refresh:', second.token.refresh_token, '| google-auth-library:', credentials.refresh_token);
console.log('refresh tokens sent:', requests);
if (second.token.refresh_token !== undefined || credentials.refresh_token !== 'R1') process.exit(1);
if (requests.join() !== 'R1,,R1') process.exit(1);
JS
echo "simple-oauth2 5.1.0, google-auth-library 10.9.1, Node $(node -v)"
node probe.mjs
