import { ConnectorError, type Hooks } from 'agent-connectors';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { caseCount } from '../cases.js';
import { subjects } from '../parity/subjects/index.js';
import { recordedBodies, responseOf } from '../recorded/bodies.js';
import { type Mutation, mutated, mutations } from './fuzz/mutations.js';
import { type RecordedCall, recordAll } from './fuzz/recorded-replies.js';
import { check } from './fuzz/run.js';

type Reply = () => Response;
type Call = Pick<RecordedCall, 'subject' | 'entity' | 'action' | 'params' | 'credentials' | 'binary'> & {
  readonly effect: string;
  /** Whether the call fails even with the unchanged responses. */
  readonly isRefused: boolean;
  readonly replies: readonly Reply[];
};

const bodiless = new Set([204, 205, 304]);

const ofSandboxes = recordAll();

/** Calls with the sandbox's responses, and calls with responses recorded elsewhere. */
async function callsOf(connector: string): Promise<Call[]> {
  const ofSandbox = (await ofSandboxes).filter(({ subject }) => subject.Connector.manifest.name === connector);
  const { subject, credentials } = ofSandbox[0]!;
  const { entities } = subject.Connector.describe();
  const actionOf = (entity: string, action: string) =>
    entities.find(({ name }) => name === entity)!.actions.find(({ name }) => name === action)!;
  return [
    ...ofSandbox.map((call) => ({
      ...call,
      effect: actionOf(call.entity, call.action).effect,
      isRefused: call.replies.some(({ status }) => status >= 400),
      replies: call.replies.map(({ status, headers, text }): Reply => {
        const fields = headers.map(([name, value]) => [name, value] as [string, string]);
        return () => new Response(bodiless.has(status) ? null : text, { status, headers: fields });
      }),
    })),
    ...recordedBodies(connector).map(({ call: [entity, action, params], replies, error }) => ({
      subject,
      entity,
      action,
      params,
      credentials,
      isRefused: error !== undefined || replies.some(({ status }) => status >= 400),
      effect: actionOf(entity, action).effect,
      binary: actionOf(entity, action).binary,
      replies: replies.map(
        (reply): Reply =>
          () =>
            responseOf(reply),
      ),
    })),
  ];
}

/** The responses in turn, then the last one again, with one of them changed. */
function vendor({ replies }: Call, changed: number, changes: readonly Mutation[]): typeof globalThis.fetch {
  let count = 0;
  return async () => {
    const at = Math.min(count++, replies.length - 1);
    await new Promise(setImmediate);
    const reply = replies[at]!();
    if (at !== changed % replies.length || reply.body === null) return reply;
    const { status, headers } = reply;
    headers.delete('content-length');
    const text = changes.reduce(mutated, await reply.text());
    return new Response(text, { status, headers });
  };
}

/** Messages caused by bugs in a program, which none of our errors may contain. */
const notOurWords =
  /Cannot (read|destructure|convert|use)|undefined|is not (a function|iterable|an object|a constructor)|Unexpected token|Invalid (time|array)|call stack|of null/i;

const cases = fc.record({
  pick: fc.nat(100_000),
  changed: fc.nat(100),
  changes: fc.array(mutations, { minLength: 1, maxLength: 2 }),
  raw: fc.boolean(),
});

/**
 * Error codes that a changed response can cause because it is unreadable or has a different meaning; a write may also
 * be looked up.
 */
const readCodes = [
  'invalid_response',
  'vendor_error',
  'not_found',
  'invalid_params',
  'not_downloadable',
  'invalid_credentials',
];
const writeCodes = [...readCodes, 'unknown_outcome'];

const count = caseCount(20_000, 40);

describe(`${count} mutations of responses`, () => {
  test.each(subjects)(
    'from %s result in a value or one of our own errors',
    { timeout: 1_800_000 },
    async (connector) => {
      const calls = await callsOf(connector);
      await check(count, cases, async ({ pick, changed, changes, raw }) => {
        const call = calls[pick % calls.length]!;
        const { subject, entity, action, params, credentials, binary, effect, isRefused } = call;
        let mismatches = 0;
        const hooks: Hooks = { onResponseMismatch: () => void mismatches++ };
        const fetch = vendor(call, changed, changes);
        const instance = new subject.Connector({ credentials, fetch, hooks, retries: 0, timeoutMs: 20_000 });
        const where = `${connector} ${entity}.${action}`;
        const { data, error } = await instance
          .execute(entity, action, params, binary ? {} : { raw })
          .then(async (result) => ({
            data: binary ? await new Response(result.data).text() : result.data,
            error: undefined,
          }))
          .catch((thrown: unknown) => ({ data: undefined, error: thrown }));
        if (error === undefined) {
          // A write without a record in the response is noticed, unless the response only reports success.
          if (effect === 'write' && mismatches === 0) expect(hasId(data), where).toBe(true);
          return;
        }
        if (!ConnectorError.is(error)) throw new Error(`${where}: not a ConnectorError`, { cause: error });
        const { code, message, hint } = error;
        expect(`${message} ${hint ?? ''}`, `${where}: ${code}`).not.toMatch(notOurWords);
        if (!isRefused) expect(effect === 'read' ? readCodes : writeCodes, `${where}: ${message}`).toContain(code);
      });
    },
  );
});

/** Whether the result of a write has an id, at its root or in its record. */
const hasId = (data: any): boolean =>
  [data, ...Object.values(data)].some((record: any) => typeof record?.id === 'string');
