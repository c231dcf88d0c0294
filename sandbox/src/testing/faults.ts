import { ConnectorError, type ErrorCode } from 'agent-connectors';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { FaultKind, FaultRule } from '../faults.js';
import type { RecordedRequest } from '../requests.js';
import { asTableRows, isBodiless, type LocalAction, prepareTrial, type Subject } from './subject.js';
import { skipBackoff } from './time.js';

/** Transient faults, with the error codes that each can cause if it persists. */
const transientFaults: ReadonlyArray<readonly [FaultRule, ...ErrorCode[]]> = [
  [{ kind: 'rate_limited' }, 'rate_limited'],
  [{ kind: 'http_429' }, 'rate_limited'],
  [{ kind: '500' }, 'vendor_error'],
  [{ kind: '502' }, 'vendor_error'],
  [{ kind: '503' }, 'vendor_error'],
  [{ kind: '504' }, 'vendor_error'],
  [{ kind: '504', applied: true }, 'vendor_error'],
  [{ kind: 'reset_before' }, 'network'],
  [{ kind: 'reset_after' }, 'network'],
  [{ kind: 'truncated_body' }, 'network'],
  [{ kind: 'truncated_json' }, 'invalid_response'],
  [{ kind: 'wrong_content_type' }, 'invalid_response'],
  [{ kind: 'empty_body' }, 'invalid_response'],
];
const persistentFaults: typeof transientFaults = [
  ...transientFaults,
  [{ kind: 'redirect' }, 'invalid_response'],
  // If tokens can be renewed, the vendor also rejects the renewal.
  [{ kind: 'expired_token' }, 'unauthorized', 'invalid_credentials'],
];

/** Faults after which the vendor has executed the request although its response is unusable. */
const appliedFaults: ReadonlySet<FaultKind> = new Set(['reset_after', 'truncated_body', 'truncated_json']);

/** Body faults that look like valid content. */
const undetectableInBinary: ReadonlySet<FaultKind> = new Set([
  'truncated_body',
  'truncated_json',
  'wrong_content_type',
  'empty_body',
]);
/** Faults that have no effect on a response without a body. */
const undetectableWithoutBody: ReadonlySet<FaultKind> = new Set(['truncated_body', 'truncated_json', 'empty_body']);

async function detectableFaults(
  subject: Subject,
  faults: typeof transientFaults,
  localAction: LocalAction,
): Promise<typeof transientFaults> {
  const undetectable = localAction.binary
    ? undetectableInBinary
    : (await isBodiless(subject, localAction))
      ? undetectableWithoutBody
      : undefined;
  return faults.filter(([{ kind }]) => !undetectable?.has(kind));
}

/** Transient faults for each request in a normal call; only the last request's body is the action's result. */
async function faultsPerRequest(
  subject: Subject,
  localAction: LocalAction,
  { requests }: Outcome,
): Promise<FaultRule[]> {
  const ofLast = await detectableFaults(subject, transientFaults, localAction);
  const steps = requests.map((_, index) => (index < requests.length - 1 ? transientFaults : ofLast));
  return steps.flatMap((faults, index) => faults.map(([rule]) => ({ ...rule, nth: index + 1, retryAfter: 0 })));
}

/** Number of values in the vendor's state, including nested ones, to detect duplicate records. */
const countValues = (state: unknown): number =>
  typeof state === 'object' && state !== null
    ? Object.values(state).reduce((sum: number, part: unknown) => sum + countValues(part), 1)
    : 1;

interface Outcome {
  readonly result: { data: any; meta: any } | undefined;
  readonly error: ConnectorError | undefined;
  readonly requests: readonly RecordedRequest[];
  /** The injected fault, if any. */
  readonly rule: FaultRule | undefined;
  readonly before: number;
  readonly after: number;
}

async function attempt(subject: Subject, localAction: LocalAction, rule?: FaultRule): Promise<Outcome> {
  const { sandbox, run } = await prepareTrial(subject, localAction);
  // Reads create nothing to count.
  const countStored = () => (localAction.reads ? 0 : countValues(sandbox.dump()));
  const before = countStored();
  if (rule) sandbox.faults.add(rule);
  const [result, error] = await run().then(
    (value) => [value, undefined] as const,
    (thrown: unknown) => [undefined, thrown] as const,
  );
  if (error !== undefined && !ConnectorError.is(error)) throw error;
  return { result, error, requests: sandbox.requests, rule, before, after: countStored() };
}

const describeRule = ({ kind, applied, nth }: FaultRule) =>
  `${kind}${applied ? ', applied' : ''} at request ${nth ?? 1}`;

/** How many times the vendor executed the last request of a normal call. */
function countWrites({ requests, rule }: Outcome, once: Outcome): number {
  const write = once.requests.at(-1)!;
  return requests.filter(
    ({ method, rootField, status, fault }) =>
      method === write.method &&
      rootField === write.rootField &&
      (fault ? appliedFaults.has(fault) || rule?.applied : status < 300),
  ).length;
}

/**
 * Problems with the outcome of a write. The outcome may be unknown, but the write must never be duplicated or
 * misreported.
 */
function writeProblems(outcome: Outcome, once: Outcome): string[] {
  const { error, before, after } = outcome;
  const grows = once.after !== once.before;
  if (after !== before && after !== once.after) return ['made more changes than a single write would'];
  // In-place updates create nothing, so their requests are counted instead.
  const times = grows ? Number(after === once.after) : countWrites(outcome, once);
  if (times > 1) return [`was carried out ${times} times`];
  if (!error) return times === 1 ? [] : ['reported success but wrote nothing'];
  return error.code === 'unknown_outcome' || times === 0 ? [] : [`was executed but reported ${error.code}`];
}

/**
 * Problems with each fault. All are tried concurrently, each on its own vendor, because most of the time is spent in
 * backoff.
 */
async function problemsUnder(rules: readonly FaultRule[], check: (rule: FaultRule) => Promise<string[]>) {
  const each = await Promise.all(
    rules.map(async (rule) => (await check(rule)).map((text) => `${describeRule(rule)}: ${text}`)),
  );
  return each.flat();
}

/** Tests the sampled actions with every fault, injected both once and permanently. */
export function testFaults(subject: Subject, sample: Promise<readonly LocalAction[]>): void {
  describe('under a fault', async () => {
    const actions = await sample;
    // Backoff is random; its duration has its own tests, so this uses the minimum.
    beforeEach(() => skipBackoff());
    afterEach(() => void vi.restoreAllMocks());

    test.each(asTableRows(actions.filter(({ reads }) => reads)))(
      '%s is retried if the fault is transient',
      async (_, localAction) => {
        const clean = await attempt(subject, localAction);
        const wrong = await problemsUnder(await faultsPerRequest(subject, localAction, clean), async (rule) => {
          const { result, error, requests } = await attempt(subject, localAction, rule);
          if (error) return [error.code];
          if (requests.length !== clean.requests.length + 1) return [`${requests.length} requests`];
          expect(result, describeRule(rule)).toEqual(clean.result);
          return [];
        });
        expect(wrong).toEqual([]);
      },
    );

    test.each(asTableRows(actions.filter(({ reads }) => !reads)))(
      '%s is executed at most once if the fault is transient',
      async (_, localAction) => {
        const clean = await attempt(subject, localAction);
        const wrong = await problemsUnder(await faultsPerRequest(subject, localAction, clean), async (rule) => {
          const outcome = await attempt(subject, localAction, rule);
          const limited = /^(rate_limited|http_429)$/.test(rule.kind) && outcome.error;
          return [...writeProblems(outcome, clean), ...(limited ? [limited.code] : [])];
        });
        expect(wrong).toEqual([]);
      },
    );

    test.each(asTableRows(actions))(
      '%s fails with its error code if the fault is persistent',
      async (_, localAction) => {
        const clean = localAction.reads ? undefined : await attempt(subject, localAction);
        const codesOf = new Map(
          (await detectableFaults(subject, persistentFaults, localAction)).map(([rule, ...codes]) => [rule, codes]),
        );
        const wrong = await problemsUnder([...codesOf.keys()], async (rule) => {
          const outcome = await attempt(subject, localAction, {
            ...rule,
            count: Number.POSITIVE_INFINITY,
            retryAfter: 600,
          });
          const codes: unknown[] = [...codesOf.get(rule)!, ...(clean ? ['unknown_outcome'] : [])];
          const unexpected = codes.includes(outcome.error?.code) ? [] : [outcome.error?.code ?? 'success'];
          return [...unexpected, ...(clean ? writeProblems(outcome, clean) : [])];
        });
        expect(wrong).toEqual([]);
      },
    );
  });
}
