import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requestAccess } from '../authorization.js';
import type { CliEnvironment } from '../environment.js';
import { failure } from '../failure.js';
import { write } from '../output/printer.js';
import { isInteractive, prompt } from '../output/prompt.js';
import type { SignIn } from '../settings.js';

/** How long a person may take, in milliseconds. */
const waitMs = 600_000;
const host = '127.0.0.1';

/**
 * Lets a person allow access in a browser, which returns to this machine. Without a browser on this machine, the person
 * pastes the URL that the browser returned to.
 */
export async function logInWithBrowser(
  baseUrl: string,
  environment: CliEnvironment,
  mayOpen: boolean,
): Promise<SignIn> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  const ended = new AbortController();
  const signal = AbortSignal.any([environment.signal, ended.signal]);
  const timer = setTimeout(
    () =>
      ended.abort(
        failure('timeout', 'Access was not allowed within 10 minutes.', { hint: 'Run agent-connectors login again.' }),
      ),
    waitMs,
  );
  try {
    const redirectUri = `http://${host}:${(server.address() as AddressInfo).port}/callback`;
    const access = await requestAccess(baseUrl, redirectUri, environment);
    const opened = mayOpen && environment.browse(access.url);
    await write(
      environment.stderr,
      opened ? `Opened in your browser:\n${access.url}\n` : `Open this URL:\n${access.url}\n`,
    );
    const returned = answerOf(server, access.state, signal);
    if (!isInteractive(environment)) return await access.redeem(await returned);
    // The prompt's line ends here, unless it has been answered.
    const endLine = () => write(environment.stderr, '\n');
    const pasted = pastedAnswer({ ...environment, signal }, access.url);
    return await access.redeem(await Promise.race([returned.finally(endLine), pasted]));
  } finally {
    clearTimeout(timer);
    ended.abort();
    server.closeAllConnections();
    server.close();
  }
}

/** The query that the browser returns with. */
function answerOf(server: Server, state: string, signal: AbortSignal): Promise<URLSearchParams> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    server.on('request', ({ url = '/', method }, response) => {
      const address = `http://${host}${url}`;
      const { pathname, searchParams } = new URL(URL.canParse(address) ? address : `http://${host}`);
      if (method !== 'GET' || pathname !== '/callback' || searchParams.get('state') !== state) {
        return page(response, 404, 'Not found', 'This page belongs to another login.');
      }
      const isAllowed = searchParams.has('code');
      const title = isAllowed ? 'Logged in' : 'Access denied';
      page(response, 200, title, 'Close this page and return to the terminal.', () => resolve(searchParams));
    });
  });
}

function page(response: ServerResponse, status: number, title: string, text: string, sent?: () => void): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'cache-control': 'no-store',
    // The URL contains the code.
    'referrer-policy': 'no-referrer',
    connection: 'close',
  });
  const style = 'body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}';
  const head = `<meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>${title}</title>`;
  response.end(`<!doctype html><html lang="en">${head}<style>${style}</style><h1>${title}</h1><p>${text}</p>`, sent);
}

/** The query of a pasted URL. */
async function pastedAnswer(environment: CliEnvironment, accessUrl: string): Promise<URLSearchParams> {
  const question = 'Waiting. If the browser is on another machine, paste the URL that it cannot open: ';
  for (;;) {
    const text = await prompt(question, environment);
    const answer = URL.canParse(text) ? new URL(text).searchParams : undefined;
    if (answer?.has('code') || answer?.has('error')) return answer;
    const isAccessUrl = answer !== undefined && text.split('?')[0] === accessUrl.split('?')[0];
    const problem = isAccessUrl
      ? 'That is the URL to open. Paste the one that the browser has after access is allowed'
      : 'That is not the URL that the browser has after access is allowed';
    await write(environment.stderr, `${problem}: it starts with http://${host}.\n`);
  }
}
