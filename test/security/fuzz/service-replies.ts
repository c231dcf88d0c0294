import { ConnectorError } from 'agent-connectors';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { LinearConnector } from 'agent-connectors/linear';
import fc from 'fast-check';
import { expect } from 'vitest';
import { errorCodes } from '../../../src/errors/connector-error.js';
import { visibleText } from '../../engine/visible.js';
import type { RecordedReply } from './recorded-replies.js';
import { answerOf, hostileReplies } from './replies-values.js';
import { check, type Fuzz } from './run.js';
import { canary } from './values.js';

const json = (body: object): RecordedReply => ({
  status: 200,
  headers: [['content-type', 'application/json']],
  text: JSON.stringify(body),
});

const token = json({ access_token: canary, token_type: 'bearer', organization_id: 'org_1' });
const execution = { connector_instance_id: 'con_1', execution_id: 'exe_1', execution_time_ms: 3 };
const executionReply = (result: unknown, meta: object = {}): RecordedReply =>
  json({ status: 'success', result, connector_metadata: meta, execution_metadata: execution });

const hosted = { baseUrl: 'http://service.internal', clientId: 'cli_1', clientSecret: canary, connectorId: 'con_1' };

interface HostedCall {
  readonly run: (fetch: typeof globalThis.fetch) => Promise<unknown>;
  /** A correct service's responses after the token response. */
  readonly reply: RecordedReply;
}

const options = { retries: 0, timeoutMs: 300 };
const linear = (fetch: typeof globalThis.fetch) => new LinearConnector({ hosted, fetch, ...options });
const drive = (fetch: typeof globalThis.fetch) => new GoogleDriveConnector({ hosted, fetch, ...options });

const calls: readonly HostedCall[] = [
  {
    run: (fetch) => linear(fetch).issues.list({ first: 2 }),
    reply: executionReply([{ id: 'i1', title: 'T', state: { name: 'Todo' } }], { hasNextPage: false, endCursor: null }),
  },
  { run: (fetch) => linear(fetch).issues.get({ id: 'i1' }), reply: executionReply({ id: 'i1', title: 'T' }) },
  {
    run: (fetch) => linear(fetch).comments.create({ issueId: 'i1', body: 'B' }),
    reply: executionReply({ success: true, comment: { id: 'c1' } }),
  },
  {
    run: (fetch) => linear(fetch).issues.context_store_search({ query: {} }),
    reply: executionReply({ data: [{ id: 'i1' }], meta: { has_more: false, cursor: null, took_ms: 1 } }),
  },
  {
    run: async (fetch) => {
      const { data } = await drive(fetch).files.download({ fileId: 'f1' });
      for await (const _ of data);
    },
    reply: { status: 200, headers: [['content-disposition', 'attachment; filename="a.txt"']], text: 'content' },
  },
  { run: (fetch) => linear(fetch).inspect(), reply: json({ context_store_readiness: { entities: [] }, warnings: [] }) },
];

const cases = fc.record({
  pick: fc.nat(100),
  replies: fc.array(hostileReplies, { minLength: 1, maxLength: 3 }),
  /** Whether the token response is correct. */
  admits: fc.boolean(),
});

/** Whatever a service responds, a call through it returns its result or a ConnectorError, and never a secret. */
export const serviceReplies: Fuzz = async (count) => {
  await check(count, cases, async ({ pick, replies, admits }) => {
    const { run, reply } = calls[pick % calls.length]!;
    let requestCount = 0;
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const at = requestCount++;
      await new Promise(setImmediate);
      const request = new Request(input as string, { method: init?.method ?? 'GET', headers: init?.headers ?? {} });
      if (at === 0 && admits) return new Response(token.text, { headers: { 'content-type': 'application/json' } });
      const hostile = replies[Math.min(at, replies.length - 1)]!;
      return answerOf(hostile, at === 0 ? token : reply, request, String(init?.body ?? ''));
    };
    try {
      await run(fetch);
    } catch (error) {
      if (!ConnectorError.is(error))
        throw new Error(`call ${pick % calls.length} gave no ConnectorError`, { cause: error });
      expect(errorCodes).toContain(error.code);
      expect(visibleText(error).includes(canary), `${error.code} tells the secret`).toBe(false);
    }
  });
};
