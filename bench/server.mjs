// Serves prepared responses, so that only the clients' own cost differs.
import { createServer } from 'node:http';
import { cachedReply, countedPage, createdIssueReply, credentials } from './cached-replies.mjs';

const chunk = Buffer.alloc(65_536, 1);
const gibibyte = 2 ** 30;

/** Streams 1 GiB as fast as the client reads it. @param {import('node:http').ServerResponse} response */
function stream(response) {
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': gibibyte });
  let sent = 0;
  const more = () => {
    while (sent < gibibyte) {
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

/** Accepts an upload through either of Google's protocols. */
function take(request, response) {
  let size = 0;
  request.on('data', (part) => {
    size += part.length;
  });
  request.on('end', () => {
    const file = JSON.stringify({
      kind: 'drive#file',
      id: 'file',
      name: 'bytes',
      mimeType: 'application/octet-stream',
    });
    const { host, 'content-range': range } = request.headers;
    if (request.method === 'POST' && request.url.includes('resumable')) {
      response.writeHead(200, { location: `http://${host}/google-drive/upload/session` }).end();
      return;
    }
    const [, last, total] = /-(\d+)\/(\d+|\*)$/.exec(range ?? '') ?? [];
    if (last && Number(last) + 1 !== Number(total)) {
      response.writeHead(308, { range: `bytes=0-${last}` }).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json', 'x-size': last ? Number(last) + 1 : size }).end(file);
  });
}

const replyTo = async (request, body) =>
  (request.url === '/linear/graphql' && (await createdIssueReply(request.headers, body))) || cachedReply(request, body);

const server = createServer((request, response) => {
  if (/\/bytes(\?|$)/.test(request.url)) return stream(response);
  if (/^(\/google-drive)?\/upload\//.test(request.url)) return take(request, response);
  const chunks = [];
  request.on('data', (part) => chunks.push(part));
  request.on('end', async () => {
    const body = Buffer.concat(chunks).toString();
    const [, total] = /^\/counted\/(\d+)\//.exec(request.url) ?? [];
    const answer = total ? countedPage(request.headers, body, Number(total)) : replyTo(request, body);
    const { status, headers, content } = await answer;
    response.writeHead(status, headers);
    response.end(content);
  });
});

// A queued connection must not be closed while its client is using it.
server.keepAliveTimeout = 600_000;

server.listen(0, '127.0.0.1', () => process.send?.({ port: server.address().port, ...credentials }));
process.on('disconnect', () => process.exit());
