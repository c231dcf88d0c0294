import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';
import type { Subject } from './installation.js';

const program = '/usr/bin/chromium';

/** Runs the calls in a Chromium page; `bundle` is the page's script. */
export async function callsInBrowser(bundle: string, subject: Subject): Promise<unknown> {
  if (!existsSync(program)) {
    execFileSync('apt-get', ['update'], { stdio: 'ignore' });
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { stdio: 'ignore' });
  }
  const site = await serveSite(bundle, subject);
  const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(site.url);
    await page.waitForFunction(() => 'calls' in globalThis);
    const here = { ...subject, sandbox: site.url, service: { ...subject.service, baseUrl: `${site.url}/service` } };
    const answer = await page.evaluate((given) => (globalThis as any).calls(given), here);
    if (faults.length > 0) throw new Error(faults.join('\n'));
    return answer;
  } finally {
    await browser.close();
    site.close();
  }
}

const head = { 'content-type': 'text/html', 'content-security-policy': "script-src 'self'" };

/** Serves the page and proxies everything else to the sandbox and the service, which allow no other origin. */
async function serveSite(bundle: string, { sandbox, service }: Subject) {
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '/';
    if (path === '/') return void outgoing.writeHead(200, head).end('<script type="module" src="page.js"></script>');
    if (path === '/page.js') return void outgoing.setHeader('content-type', 'text/javascript').end(bundle);
    const allowed = {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': incoming.headers['access-control-request-headers'] ?? '*',
      'access-control-allow-methods': '*',
      'access-control-expose-headers': '*',
    };
    if (incoming.method === 'OPTIONS') return void outgoing.writeHead(204, allowed).end();
    const target = path.startsWith('/service/') ? service.baseUrl + path.slice('/service'.length) : sandbox + path;
    proxyRequest(target, incoming, outgoing, allowed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function proxyRequest(
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  more: Record<string, string>,
) {
  // With the requested host, so that URLs in responses point to this server too.
  const outgoingRequest = request(target, { method: incoming.method, headers: incoming.headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...more });
    answer.pipe(outgoing);
    answer.once('error', () => outgoing.destroy());
  });
  outgoingRequest.once('error', () => outgoing.destroy());
  outgoing.once('close', () => outgoingRequest.destroy());
  incoming.pipe(outgoingRequest);
}
