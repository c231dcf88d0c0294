// Answers with replies that were made beforehand, so that the clients' own cost is what differs.
import { createServer } from 'node:http';
import { createSandbox } from 'agent-connectors-sandbox';

const sandbox = createSandbox({ seed: 1 });
const { linear, 'google-drive': drive } = sandbox.vendors;
const made = new Map();

/** Google's own client knows no address with a path before its own. @param {string} url */
const placed = (url) => (url.startsWith('/drive/') ? `/google-drive${url}` : url);

/** The sandbox's reply to this request, made once. */
async function reply({ method, url, headers }, body) {
  const key = `${method} ${url} ${body}`;
  const known = made.get(key);
  if (known) return known;
  const { authorization = '', 'content-type': type = 'application/json' } = headers;
  const response = await sandbox.handle(
    new Request(`http://localhost${placed(url)}`, {
      method,
      headers: { authorization, 'content-type': type },
      ...(body && { body }),
    }),
  );
  const content = Buffer.from(await response.arrayBuffer());
  const answer = {
    status: response.status,
    headers: { ...Object.fromEntries(response.headers), 'content-length': content.length },
    content,
  };
  made.set(key, answer);
  return answer;
}

const chunk = Buffer.alloc(65_536, 1);

/** A gibibyte, as fast as it is taken. */
function stream(response) {
  const total = 2 ** 30;
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': total });
  let sent = 0;
  const more = () => {
    while (sent < total) {
      sent += chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  more();
}

const server = createServer((request, response) => {
  if (/\/bytes(\?|$)/.test(request.url)) {
    stream(response);
    return;
  }
  const chunks = [];
  request.on('data', (part) => chunks.push(part));
  request.on('end', async () => {
    const { status, headers, content } = await reply(request, Buffer.concat(chunks).toString());
    response.writeHead(status, headers);
    response.end(content);
  });
});

server.listen(0, '127.0.0.1', () =>
  process.send?.({
    port: server.address().port,
    api_key: linear.credentials.api_key.api_key,
    access_token: drive.credentials.access_token.access_token,
  }),
);
process.on('disconnect', () => process.exit());
