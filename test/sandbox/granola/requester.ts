import { createSandbox, type FaultRule, type GranolaCredentials, type Sandbox } from 'agent-connectors-sandbox';
import { noon } from '../requester.js';

/** One reply, read. */
export interface Reply {
  status: number;
  headers: Headers;
  body: any;
}

/** A sandbox at a fixed moment whose allowance no test uses up by chance. */
export function unlimitedSandbox(...faults: FaultRule[]): Sandbox {
  const sandbox = createSandbox({ now: () => noon, faults });
  sandbox.vendors.granola.limits = { requestsPerFiveSeconds: 100_000, requestsPerMinute: 100_000 };
  return sandbox;
}

/** Makes a function that asks Granola of a sandbox with one of its keys. */
export function createRequester(sandbox: Sandbox, credential: keyof GranolaCredentials = 'api_key') {
  const { api_key } = sandbox.vendors.granola.credentials[credential];
  return async (path: string, query: Record<string, string | number> = {}): Promise<Reply> => {
    const url = new URL(path, 'https://public-api.granola.ai');
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    const response = await sandbox.fetch(url, { headers: { authorization: `Bearer ${api_key}` } });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
}

/** Every page of a list, as long as there is more. */
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

/** Every note that the key sees, as lists show it. */
export async function allNotes(ask: ReturnType<typeof createRequester>, query: Record<string, string | number> = {}) {
  return (await allPages(ask, '/v1/notes', { page_size: 30, ...query })).flatMap((page) => page.notes);
}

/** Every note that the key sees, as it is shown by itself. */
export async function fullNotes(
  ask: ReturnType<typeof createRequester>,
  query: Record<string, string> = {},
): Promise<Reply[]> {
  const notes = await allNotes(ask);
  return Promise.all(notes.map(({ id }) => ask(`/v1/notes/${id}`, query)));
}
