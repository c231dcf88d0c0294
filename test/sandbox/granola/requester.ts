import { createSandbox, type FaultRule, type GranolaCredentials, type Sandbox } from 'agent-connectors-sandbox';
import { noon } from '../requester.js';

/** A response that has been read. */
export interface Reply {
  status: number;
  headers: Headers;
  body: any;
}

/** A sandbox at a fixed time, with limits that no test reaches by accident. */
export function unlimitedSandbox(...faults: FaultRule[]): Sandbox {
  const sandbox = createSandbox({ now: () => noon, faults });
  sandbox.vendors.granola.limits = { requestsPerFiveSeconds: 100_000, requestsPerMinute: 100_000 };
  return sandbox;
}

/** Returns a function that sends requests to a sandbox's Granola with one of its keys. */
export function createRequester(sandbox: Sandbox, credential: keyof GranolaCredentials = 'api_key') {
  const { api_key } = sandbox.vendors.granola.credentials[credential];
  return async (path: string, query: Record<string, string | number> = {}): Promise<Reply> => {
    const url = new URL(path, 'https://public-api.granola.ai');
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    const response = await sandbox.fetch(url, { headers: { authorization: `Bearer ${api_key}` } });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
}

/** Every page of a list. */
export async function allPages(
  ask: ReturnType<typeof createRequester>,
  path: string,
  query: Record<string, string | number> = {},
): Promise<any[]> {
  const pages: any[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await ask(path, cursor === undefined ? query : { ...query, cursor });
    pages.push(body);
    cursor = body.hasMore ? body.cursor : undefined;
  } while (cursor !== undefined);
  return pages;
}

/** Every note that the key has access to, as returned by lists. */
export async function allNotes(ask: ReturnType<typeof createRequester>, query: Record<string, string | number> = {}) {
  return (await allPages(ask, '/v1/notes', { page_size: 30, ...query })).flatMap((page) => page.notes);
}

/** Every note that the key has access to, as returned on its own. */
export async function fullNotes(
  ask: ReturnType<typeof createRequester>,
  query: Record<string, string> = {},
): Promise<Reply[]> {
  const notes = await allNotes(ask);
  return Promise.all(notes.map(({ id }) => ask(`/v1/notes/${id}`, query)));
}
