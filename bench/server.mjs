// Answers with replies that were made beforehand, so that the clients' own cost is what differs.
import { createServer } from 'node:http';
import { createSandbox } from 'agent-connectors-sandbox';

const sandbox = createSandbox({ seed: 1 });
const { api_key } = sandbox.vendors.linear.credentials.api_key;
const made = new Map();

/** The sandbox's reply to this body, made once. */
async function reply(body) {
  const known = made.get(body);
  if (known) return known;
  const response = await sandbox.fetch('https://api.linear.app/graphql', {
    method: 'POST',
    headers: { authorization: api_key, 'content-type': 'application/json' },
    body,
  });
  const content = Buffer.from(await response.text());
  const headers = { ...Object.fromEntries(response.headers), 'content-length': content.length };
  made.set(body, { status: response.status, headers, content });
  return made.get(body);
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const { status, headers, content } = await reply(Buffer.concat(chunks).toString());
    response.writeHead(status, headers);
    response.end(content);
  });
});

server.listen(0, '127.0.0.1', () => process.send?.({ port: server.address().port, api_key }));
process.on('disconnect', () => process.exit());
