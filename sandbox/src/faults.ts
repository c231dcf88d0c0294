import { Random } from './random.js';

/** All fault kinds. */
export const faultKinds = [
  'rate_limited',
  'http_429',
  '500',
  '502',
  '503',
  '504',
  'reset_before',
  'reset_after',
  'truncated_body',
  'truncated_json',
  'slow_body',
  'slow_headers',
  'expired_token',
  'half_page',
  'endless_cursor',
  'null_cursor',
  'partial_data',
  'wrong_content_type',
  'empty_body',
  'success_false',
  'redirect',
  'ignore_range',
  'empty_page',
  'reset_body',
  'broken_chunk',
  'lost_session',
  'refused',
  'internal_error',
  'lock_timeout',
] as const;

/** A fault kind. */
export type FaultKind = (typeof faultKinds)[number];

/** Which requests fail, and how. */
export interface FaultRule {
  /** What happens. */
  kind: FaultKind;
  /** Only this vendor; any by default. */
  vendor?: string;
  /** Only requests for this GraphQL root field, such as `issues`. */
  rootField?: string;
  /** Only requests with this path prefix below the vendor's base, such as `/oauth/token`. */
  path?: string;
  /** First apply to the nth matching request, counted from 1. */
  nth?: number;
  /** Number of consecutive matching requests to fail; 1 by default, `Infinity` for all. */
  count?: number;
  /** `Retry-After` of a rejected request, in seconds. */
  retryAfter?: number;
  /** Milliseconds: the delay of `slow_headers`, or the delay between chunks of `slow_body`. */
  ms?: number;
  /**
   * Lets the vendor process the request before a 5xx, for example when a gateway gives up on a request that succeeded.
   */
  applied?: boolean;
  /** Target of `redirect`. */
  location?: string;
  /** Bytes sent before the body is cut off or slowed down; half of them by default. */
  after?: number;
  /** The vendor's reason for the error, if it has several, such as `dailyLimitExceeded`. */
  reason?: string;
  /** HTTP status of the error, if the vendor has several. */
  status?: number;
}

/** Fields of a rule and their meaning; `Record` makes the compiler check that none is missing. */
const ruleFields: Record<keyof FaultRule, string> = {
  kind: 'the effect',
  vendor: 'only this vendor',
  rootField: 'only this GraphQL field',
  path: 'only below this path',
  nth: 'the first affected request',
  count: 'number of consecutive affected requests',
  retryAfter: 'seconds',
  ms: 'milliseconds',
  applied: 'whether the vendor acts first',
  location: 'redirect target',
  after: 'bytes',
  reason: 'for a rejection',
  status: 'for a rejection',
};

function checkFields(rule: FaultRule): void {
  const unknown = Object.keys(rule).find((name) => !Object.hasOwn(ruleFields, name));
  if (unknown === undefined) return;
  const known = Object.entries(ruleFields).map(([name, meaning]) => `${name} (${meaning})`);
  throw new TypeError(`unknown field '${unknown}' in a fault; known fields: ${known.join(', ')}`);
}

/** Random faults from a seed. */
export interface Chaos {
  /** The same seed affects the same requests. */
  seed: number;
  /** Share of requests that fail, from 0 to 1. */
  rate: number;
  /** Possible faults; by default all that a client can recover from. */
  kinds?: FaultKind[];
}

/** Request properties that rules match. */
interface FaultTarget {
  vendor: string;
  path: string;
  rootField?: string | undefined;
}

/** The rules of a sandbox, and how many times each has matched. */
export interface FaultPlan {
  add(rule: FaultRule): void;
  clear(): void;
  /** The fault for this request, if any. */
  next(target: FaultTarget): FaultRule | undefined;
}

const survivable: FaultKind[] = [
  'rate_limited',
  'http_429',
  '500',
  '502',
  '503',
  '504',
  'reset_before',
  'reset_after',
  'truncated_body',
  'truncated_json',
  'slow_body',
  'slow_headers',
  'half_page',
  'internal_error',
  'lock_timeout',
];

/** Creates the fault plan of a sandbox. */
export function createFaultPlan(rules: readonly FaultRule[] = [], chaos?: Chaos): FaultPlan {
  const known = new Set<string>(faultKinds);
  const check = (kind: string) => {
    if (!known.has(kind)) throw new TypeError(`unknown fault kind '${kind}'; known kinds: ${faultKinds.join(', ')}`);
  };
  for (const kind of chaos?.kinds ?? []) check(kind);
  if (chaos && !(chaos.rate >= 0 && chaos.rate <= 1)) throw new RangeError('chaos.rate must be between 0 and 1');

  const random = chaos && new Random(chaos.seed);
  const kinds = chaos?.kinds ?? survivable;
  let entries: { rule: FaultRule; seen: number }[] = [];
  const plan: FaultPlan = {
    add(rule) {
      check(rule.kind);
      checkFields(rule);
      entries.push({ rule: { ...rule }, seen: 0 });
    },
    clear() {
      entries = [];
    },
    next(target) {
      let matched: FaultRule | undefined;
      for (const entry of entries) {
        if (!matchesRule(entry.rule, target)) continue;
        entry.seen += 1;
        const first = entry.rule.nth ?? 1;
        // Rules keep counting while an earlier one applies, so that nth means the nth request.
        if (entry.seen >= first && entry.seen < first + (entry.rule.count ?? 1)) matched ??= entry.rule;
      }
      if (matched) return matched;
      if (random && kinds.length > 0 && random.chance(chaos.rate)) return { kind: random.pick(kinds), ms: 20 };
      return undefined;
    },
  };
  for (const rule of rules) plan.add(rule);
  return plan;
}

/** Whether a rule applies to a request. */
export function matchesRule(rule: Pick<FaultRule, keyof FaultTarget>, target: FaultTarget): boolean {
  if (rule.vendor !== undefined && rule.vendor !== target.vendor) return false;
  if (rule.rootField !== undefined && rule.rootField !== target.rootField) return false;
  return rule.path === undefined || target.path.startsWith(rule.path);
}
