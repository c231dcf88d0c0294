/**
 * Serves `docs/site`, which browsers cannot fully display from local files: `npm run docs:serve`, or `siteServer()`
 * from a test.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../docs/site', import.meta.url));
const types = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

/** A server for the most recently built site, on a local port. */
export async function siteServer(port = 0) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://site');
    const file = join(
      folder,
      normalize(decodeURIComponent(pathname.endsWith('/') ? `${pathname}index.html` : pathname)),
    );
    const found = file.startsWith(folder) && (await stat(file).catch(() => undefined))?.isFile();
    if (!found) return response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url } = await siteServer(Number(process.env.PORT ?? 8080));
  console.log(`${url}/`);
}
