import { setTimeout as wait } from 'node:timers/promises';
import { type Direction, type FaultyProxy, type Kind, kinds, type Tally } from './faulty-proxy.js';
import type { Caller, Rig } from './rig.js';
import type { Write } from './writes.js';

/** The two hops that bytes travel. */
export const links = ['caller to service', 'service to vendor', 'caller to vendor'] as const;
export type Link = (typeof links)[number];

/** One fault in one exchange. */
export interface Case {
  readonly write: Write;
  readonly link: Link;
  readonly connection: number;
  readonly direction: Direction;
  readonly at: number;
  readonly kind: Kind;
}

const linkOf = (
  { near, far, service, local }: Rig,
  link: Link,
): { readonly proxy: FaultyProxy; readonly call: Caller } => ({
  proxy: link === 'caller to service' ? near : far,
  call: link === 'caller to vendor' ? local : service,
});

let label = 0;
const nextLabel = () => {
  label += 1;
  return `case-${String(label).padStart(6, '0')}`;
};

/** Bytes per connection in an undisturbed exchange. */
async function measureExchange(rig: Rig, write: Write, link: Link): Promise<readonly Readonly<Tally>[]> {
  const { proxy, call } = linkOf(rig, link);
  const name = nextLabel();
  const prepared = (await write.prepare?.(rig.sandbox, name)) ?? '';
  proxy.arm();
  const { answer } = await call(write, write.params(name, prepared), name);
  if (answer?.status !== 200) throw new Error(`${write.name}: ${answer?.text}`);
  while (proxy.busy) await wait(1);
  return proxy.tallies;
}

/** How densely to place faults in an exchange. */
export interface Coverage {
  /** Distance between faults in bytes. */
  readonly step: (direction: Direction) => number;
  /** All fault kinds at each position, or one kind per position, in rotation. */
  readonly everyKind: boolean;
}

/** Every position in a write's exchanges at which a fault can occur. */
export async function casesOf(rig: Rig, write: Write, { step, everyKind }: Coverage): Promise<Case[]> {
  const cases: Case[] = [];
  for (const link of links) {
    for (const [connection, tally] of (await measureExchange(rig, write, link)).entries()) {
      for (const direction of ['request', 'reply'] as const) {
        for (let at = 0; at <= tally[direction]; at += step(direction)) {
          for (const kind of everyKind ? kinds : [kinds[cases.length % kinds.length]!]) {
            cases.push({ write, link, connection, direction, at, kind });
          }
        }
        // After the last byte, when the response has not been sent yet or is no longer awaited.
        for (const kind of kinds) cases.push({ write, link, connection, direction, at: tally[direction], kind });
      }
    }
  }
  return cases;
}

/** The result of a case; `wrong` describes a violation. */
export interface CaseResult {
  readonly outcome: 'done' | 'unknown' | 'refused';
  readonly hasFired: boolean;
  readonly attempts: number;
  readonly wrong?: string | undefined;
}

const maxAttempts = 6;
/** Codes after which the outcome is unknown or a retry is allowed. */
const transientCodes: ReadonlySet<string | null> = new Set([
  'network',
  'timeout',
  'conflict',
  'vendor_error',
  'invalid_response',
]);

/** Breaks one exchange, retries with the same key until there is a final response, then checks the vendor. */
async function runCase(rig: Rig, { write, link, kind, ...strike }: Case): Promise<CaseResult> {
  const { proxy, call } = linkOf(rig, link);
  const name = nextLabel();
  const prepared = (await write.prepare?.(rig.sandbox, name)) ?? '';
  const params = write.params(name, prepared);
  proxy.arm({ kind, ...strike });
  let outcome: CaseResult['outcome'] | undefined;
  let last = '';
  let attempts = 0;
  let unknown = 0;
  while (attempts < maxAttempts && outcome === undefined) {
    const { answer } = await call(write, params, name);
    // While an earlier attempt is in progress, callers are told to wait.
    if (answer?.status === 409 && answer.code === 'conflict' && answer.text.includes('"retryable":true')) {
      await wait(1);
      continue;
    }
    attempts += 1;
    last = answer ? `${answer.status} ${answer.text}` : 'nothing';
    if (answer?.status === 200) outcome = 'done';
    // The outcome is final if it is still unknown after a retry without faults.
    else if (answer?.code === 'unknown_outcome') outcome = ++unknown > 1 ? 'unknown' : undefined;
    // A status of 400 is a response to a garbled request, not a rejection of the write.
    else if (answer && answer.status !== 400 && !transientCodes.has(answer.code)) outcome = 'refused';
    else await wait(1);
  }
  const { hasFired } = proxy;
  proxy.arm();
  const times = await write.countDone(rig.sandbox, name, prepared);
  return {
    outcome: outcome ?? 'unknown',
    hasFired,
    attempts,
    wrong: problemOf(outcome, times, last, { write, link, kind }),
  };
}

function problemOf(
  outcome: CaseResult['outcome'] | undefined,
  times: number,
  last: string,
  { write, link, kind }: Pick<Case, 'write' | 'link' | 'kind'>,
): string | undefined {
  // A duplicated request to the vendor is executed twice, unless the vendor recognizes the repeat.
  const isDoubled = kind === 'duplicate' && link !== 'caller to service';
  const maxTimes = isDoubled && !write.resolvesOnRetry ? 2 : 1;
  if (times > maxTimes) return `was done ${times} times`;
  if (outcome === undefined) return `had no answer but ${last}`;
  // The vendor may respond to the duplicate before the original.
  if (outcome === 'refused' && times > 0 && !isDoubled) return `was done, and refused: ${last}`;
  if (outcome === 'done' && times === 0) return 'was acknowledged, and not done';
  if (outcome === 'unknown' && write.resolvesOnRetry) return `stayed unknown: ${last}`;
  return undefined;
}

/** Describes a case. */
const describeCase = ({ write, link, connection, direction, at, kind }: Case): string =>
  `${write.name}, ${link}, ${kind} at byte ${at} of ${direction} ${connection + 1}`;

/** The number of successful cases, and the violations in the others. */
export interface Summary {
  readonly counts: Record<string, number>;
  readonly wrong: string[];
}

/** Runs the cases in sequence. */
export async function runCases(rig: Rig, cases: readonly Case[]): Promise<Summary> {
  const fresh = rig.sandbox.dump();
  const start = rig.sandbox.clock.now();
  const counts: Record<string, number> = {};
  const wrong: string[] = [];
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  for (const [index, one] of cases.entries()) {
    if (index % 100 === 0) {
      rig.sandbox.load(fresh);
      // A run can take longer than an access token is valid.
      rig.sandbox.clock.advance(start - rig.sandbox.clock.now());
      rig.sandbox.requests.clear();
    }
    const ended = await runCase(rig, one);
    if (ended.wrong) wrong.push(`${describeCase(one)} ${ended.wrong}`);
    count(`${one.link}: ${ended.hasFired ? one.kind : 'not reached'}: ${ended.outcome}`);
  }
  return { counts, wrong };
}

/** A sample of the cases, deterministic per seed. */
export function sampleOf(cases: readonly Case[], seed: number, size: number): Case[] {
  let state = seed;
  return Array.from({ length: size }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return cases[Math.floor((state / 2 ** 32) * cases.length)]!;
  });
}
