import { ConnectorError, type Hooks } from 'agent-connectors';
import fc from 'fast-check';
import { expect } from 'vitest';
import { errorCodes } from '../../../src/errors/connector-error.js';
import { visibleText } from '../../engine/visible.js';
import { type RecordedCall, recordAll } from './recorded-replies.js';
import { answerOf, type HostileReply, hostileReplies } from './replies-values.js';
import { check, type Fuzz } from './run.js';
import { canary } from './values.js';

let recorded: Promise<readonly RecordedCall[]> | undefined;

const nonSecretFields = new Set(['client_id', 'base_url']);

/** The same credentials with our own secret in each secret field; if there is no token, a refresh comes first. */
function withCanaries({ credentials }: RecordedCall, refreshes: boolean): Record<string, string> {
  const entries = Object.entries(credentials).map(([name, value]) => [
    name,
    nonSecretFields.has(name) ? value : canary,
  ]);
  const all = Object.fromEntries(entries);
  if (refreshes && 'refresh_token' in all) delete all.access_token;
  return all;
}

interface Case {
  readonly pick: number;
  readonly replies: readonly HostileReply[];
  readonly options: object;
  readonly refreshes: boolean;
}

const cases: fc.Arbitrary<Case> = fc.record({
  pick: fc.nat(10_000),
  replies: fc.array(hostileReplies, { minLength: 1, maxLength: 4 }),
  options: fc.constantFrom({}, {}, { raw: true }, { maxStringLength: 5 }, { raw: true, selectFields: ['id', 'a.b'] }),
  refreshes: fc.boolean(),
});

/** A fetch that returns the responses in turn, then repeats the last one. */
function vendor({ replies }: RecordedCall, hostile: readonly HostileReply[]): typeof globalThis.fetch {
  let count = 0;
  return async (input, init) => {
    const at = count++;
    // A network takes time, which lets timers run.
    await new Promise(setImmediate);
    const request = new Request(input as string, { method: init?.method ?? 'GET', headers: init?.headers ?? {} });
    const body = init?.body instanceof Blob ? await init.body.text() : String(init?.body ?? '');
    return answerOf(hostile[Math.min(at, hostile.length - 1)]!, replies[at % replies.length]!, request, body);
  };
}

async function readAll(stream: ReadableStream<Uint8Array>): Promise<void> {
  for await (const _ of stream);
}

/** Whatever a vendor responds, an action returns its result or a ConnectorError, and never a secret. */
export const vendorReplies: Fuzz = async (count) => {
  recorded ??= recordAll();
  const calls = await recorded;
  await check(count, cases, async ({ pick, replies, options, refreshes }) => {
    const call = calls[pick % calls.length]!;
    const { subject, entity, action, params, binary } = call;
    const events: unknown[] = [];
    const see = (event: unknown) => void events.push(event);
    const hooks: Hooks = { onRequest: see, onResponse: see, onRetry: see, onResponseMismatch: () => {} };
    const connector = new subject.Connector({
      credentials: withCanaries(call, refreshes),
      fetch: vendor(call, replies),
      hooks,
      retries: 0,
      timeoutMs: 300,
      attemptTimeoutMs: 200,
    });
    try {
      const { data } = await connector.execute(entity, action, params, binary ? {} : options);
      if (binary) await readAll(data);
    } catch (error) {
      const where = `${subject.Connector.manifest.name} ${entity}.${action}`;
      if (!ConnectorError.is(error))
        throw new Error(`${where} failed with what is no ConnectorError`, { cause: error });
      expect(errorCodes).toContain(error.code);
      expect(visibleText(error).includes(canary), `${where}: ${error.code} tells the secret`).toBe(false);
    }
    expect(JSON.stringify(events).includes(canary), 'a hook is told the secret').toBe(false);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
};
