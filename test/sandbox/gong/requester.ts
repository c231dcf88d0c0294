import { createSandbox, type FaultRule, type GongCredentials, type Sandbox } from 'agent-connectors-sandbox';
import { noon } from '../requester.js';

/** A response that has been read; `text` is for ids that JSON.parse would round. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  body: any;
}

/** Everything that can be requested from POST /v2/calls/extensive. */
export const fullSelector = {
  context: 'Extended',
  contextTiming: ['Now', 'TimeOfCall'],
  exposedFields: {
    parties: true,
    content: {
      structure: true,
      topics: true,
      trackers: true,
      trackerOccurrences: true,
      pointsOfInterest: true,
      brief: true,
      outline: true,
      highlights: true,
      callOutcome: true,
      keyPoints: true,
    },
    interaction: { speakers: true, video: true, personInteractionStats: true, questions: true },
    collaboration: { publicComments: true },
    media: true,
  },
};

/** A sandbox at a fixed time, with limits that no test reaches by accident. */
export function unlimitedSandbox(...faults: FaultRule[]): Sandbox {
  const sandbox = createSandbox({ now: () => noon, faults });
  sandbox.vendors.gong.limits = { requestsPerSecond: 100_000, requestsPerDay: 1_000_000 };
  return sandbox;
}

/** The header in which a credential is sent. */
export function authorizationOf(sandbox: Sandbox, credential: keyof GongCredentials): string {
  const values: Record<string, string> = { ...sandbox.vendors.gong.credentials[credential] };
  if (values.access_token !== undefined) return `Bearer ${values.access_token}`;
  return `Basic ${btoa(`${values.access_key}:${values.access_key_secret}`)}`;
}

/** Returns a function that sends requests to a sandbox's Gong with one of its credentials; a body makes it a POST. */
export function createRequester(
  sandbox: Sandbox,
  credential: keyof GongCredentials = 'basic',
  origin = 'https://api.gong.io',
) {
  const authorization = authorizationOf(sandbox, credential);
  return async (path: string, body?: unknown): Promise<Reply> => {
    const post = { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) };
    const response = await sandbox.fetch(`${origin}${path}`, {
      headers: { authorization },
      ...(body !== undefined && post),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  };
}

/** Every page of a list requested with POST. */
export async function allPages(
  ask: ReturnType<typeof createRequester>,
  path: string,
  body: object = {},
): Promise<any[]> {
  const pages: any[] = [];
  let cursor: string | undefined;
  do {
    const answer = await ask(path, { filter: {}, ...body, ...(cursor !== undefined && { cursor }) });
    pages.push(answer.body);
    cursor = answer.body.records.cursor;
  } while (cursor !== undefined);
  return pages;
}

/** Every call with all its details. */
export async function allCalls(
  ask: ReturnType<typeof createRequester>,
  contentSelector: object = fullSelector,
): Promise<any[]> {
  return (await allPages(ask, '/v2/calls/extensive', { contentSelector })).flatMap((page) => page.calls);
}

/** All calls as returned by lists. */
export async function listedCalls(ask: ReturnType<typeof createRequester>, query = ''): Promise<any[]> {
  const rows: any[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await ask(`/v2/calls?${query}${cursor === undefined ? '' : `&cursor=${cursor}`}`);
    rows.push(...body.calls);
    cursor = body.records.cursor;
  } while (cursor !== undefined);
  return rows;
}
