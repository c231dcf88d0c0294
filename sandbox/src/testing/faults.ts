import { ConnectorError, type ErrorCode } from 'agent-connectors';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { FaultKind, FaultRule } from '../faults.js';
import type { RecordedRequest } from '../requests.js';
import { byName, isBodiless, type LocalAction, localActions, type Subject, trial } from './subject.js';

/** What passes, and the codes of it when it does not. */
const passing: ReadonlyArray<readonly [FaultRule, ...ErrorCode[]]> = [
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
const lasting: typeof passing = [
  ...passing,
  [{ kind: 'redirect' }, 'invalid_response'],
  // Where a token can be renewed, the vendor refuses that too.
  [{ kind: 'expired_token' }, 'unauthorized', 'invalid_credentials'],
];

/** Faults after which the vendor has acted although its reply is of no use. */
const acted: ReadonlySet<FaultKind> = new Set(['reset_after', 'truncated_body', 'truncated_json']);

/** Faults of a body, which cannot be told from content. */
const ofBody: ReadonlySet<FaultKind> = new Set([
  'truncated_body',
  'truncated_json',
  'wrong_content_type',
  'empty_body',
]);
/** Faults that a reply which has no body either does not suffer from, or does not differ by. */
const ofAnyBody: ReadonlySet<FaultKind> = new Set(['truncated_body', 'truncated_json', 'empty_body']);

async function fitting(subject: Subject, faults: typeof passing, tried: LocalAction): Promise<typeof passing> {
  const blind = tried.binary ? ofBody : (await isBodiless(subject, tried)) ? ofAnyBody : undefined;
  return faults.filter(([{ kind }]) => !blind?.has(kind));
}

/** What passes, at each of the requests of an undisturbed call; only the last one's body is what the action gives. */
async function disturbances(subject: Subject, tried: LocalAction, { requests }: Outcome): Promise<FaultRule[]> {
  const ofLast = await fitting(subject, passing, tried);
  const steps = requests.map((_, index) => (index < requests.length - 1 ? passing : ofLast));
  return steps.flatMap((faults, index) => faults.map(([rule]) => ({ ...rule, nth: index + 1, retryAfter: 0 })));
}

/** How many values the vendor keeps, however nested: a record made twice shows in it, wherever it is kept. */
const weight = (state: unknown): number =>
  typeof state === 'object' && state !== null
    ? Object.values(state).reduce((sum: number, part: unknown) => sum + weight(part), 1)
    : 1;

interface Outcome {
  readonly result: { data: any; meta: any } | undefined;
  readonly error: ConnectorError | undefined;
  readonly requests: readonly RecordedRequest[];
  /** What was done to them, if anything. */
  readonly rule: FaultRule | undefined;
  readonly before: number;
  readonly after: number;
}

async function attempt(subject: Subject, tried: LocalAction, rule?: FaultRule): Promise<Outcome> {
  const { sandbox, run } = await trial(subject, tried);
  // What is read leaves nothing behind that could be weighed.
  const load = () => (tried.reads ? 0 : weight(sandbox.dump()));
  const before = load();
  if (rule) sandbox.faults.add(rule);
  const [result, error] = await run().then(
    (value) => [value, undefined] as const,
    (thrown: unknown) => [undefined, thrown] as const,
  );
  if (error !== undefined && !ConnectorError.is(error)) throw error;
  return { result, error, requests: sandbox.requests, rule, before, after: load() };
}

const named = ({ kind, applied, nth }: FaultRule) => `${kind}${applied ? ', applied' : ''} at request ${nth ?? 1}`;

/** How often the vendor did what the last request of an undisturbed call asks of it. */
function timesDone({ requests, rule }: Outcome, once: Outcome): number {
  const write = once.requests.at(-1)!;
  return requests.filter(
    ({ method, rootField, status, fault }) =>
      method === write.method &&
      rootField === write.rootField &&
      (fault ? acted.has(fault) || rule?.applied : status < 300),
  ).length;
}

/** What is wrong with the end of a write: it may be unknown, but never twice, nor other than it says. */
function misled(outcome: Outcome, once: Outcome): string[] {
  const { error, before, after } = outcome;
  const grows = once.after !== once.before;
  if (after !== before && after !== once.after) return ['left more than one write would'];
  // A change in place can be counted by its requests alone.
  const times = grows ? Number(after === once.after) : timesDone(outcome, once);
  if (times > 1) return [`was carried out ${times} times`];
  if (!error) return times === 1 ? [] : ['succeeded without a trace'];
  return error.code === 'unknown_outcome' || times === 0 ? [] : [`was done, and called ${error.code}`];
}

/** What is wrong under each fault. All are tried at once, each on a vendor of its own, since most of the time is back-off. */
async function complaints(rules: readonly FaultRule[], check: (rule: FaultRule) => Promise<string[]>) {
  const each = await Promise.all(
    rules.map(async (rule) => (await check(rule)).map((text) => `${named(rule)}: ${text}`)),
  );
  return each.flat();
}

/** Every action under every fault: once, and for good. */
export function testFaults(subject: Subject): void {
  const actions = localActions(subject);

  describe('under a fault', () => {
    // The back-off is random; it is the shortest here, since how long it is has tests of its own.
    beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
    afterEach(() => void vi.restoreAllMocks());

    test.each(byName(actions.filter(({ reads }) => reads)))('that passes, %s is read again', async (_, tried) => {
      const clean = await attempt(subject, tried);
      const wrong = await complaints(await disturbances(subject, tried, clean), async (rule) => {
        const { result, error, requests } = await attempt(subject, tried, rule);
        if (error) return [error.code];
        if (requests.length !== clean.requests.length + 1) return [`${requests.length} requests`];
        expect(result, named(rule)).toEqual(clean.result);
        return [];
      });
      expect(wrong).toEqual([]);
    });

    test.each(byName(actions.filter(({ reads }) => !reads)))(
      'that passes, %s is done once at most',
      async (_, tried) => {
        const clean = await attempt(subject, tried);
        const wrong = await complaints(await disturbances(subject, tried, clean), async (rule) => {
          const outcome = await attempt(subject, tried, rule);
          const limited = /^(rate_limited|http_429)$/.test(rule.kind) && outcome.error;
          return [...misled(outcome, clean), ...(limited ? [limited.code] : [])];
        });
        expect(wrong).toEqual([]);
      },
    );

    test.each(byName(actions))('that stays, %s fails by its name', async (_, tried) => {
      const clean = tried.reads ? undefined : await attempt(subject, tried);
      const codesOf = new Map((await fitting(subject, lasting, tried)).map(([rule, ...codes]) => [rule, codes]));
      const wrong = await complaints([...codesOf.keys()], async (rule) => {
        const outcome = await attempt(subject, tried, { ...rule, count: Number.POSITIVE_INFINITY, retryAfter: 600 });
        const codes: unknown[] = [...codesOf.get(rule)!, ...(clean ? ['unknown_outcome'] : [])];
        const unexpected = codes.includes(outcome.error?.code) ? [] : [outcome.error?.code ?? 'success'];
        return [...unexpected, ...(clean ? misled(outcome, clean) : [])];
      });
      expect(wrong).toEqual([]);
    });
  });
}
