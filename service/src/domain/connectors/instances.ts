import type { AnyConnector, Budget, Limits, ResponseEvent, TokenRefresh, TokenStore } from 'agent-connectors';
import type { Metrics } from '../../common/metrics.js';
import type { Telemetry } from '../../common/telemetry.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { Credentials } from '../../data/state/types.js';
import { type AddressPolicy, type CredentialFields, optionsFor } from './credentials.js';
import type { AnyConnectorOptions, Definition, Definitions } from './definitions.js';

/** What live connectors are made of. */
export interface InstanceOptions {
  readonly definitions: Definitions;
  readonly credentials: Credentials;
  readonly policy: AddressPolicy;
  readonly fetch: typeof globalThis.fetch;
  readonly now: () => number;
  readonly quotas: Quotas;
  readonly metrics: Metrics;
  readonly telemetry: Telemetry;
}

/** Live connectors, one for each version of a row. */
export interface Instances {
  get(row: ConnectorRow): Promise<AnyConnector>;
  /** What a connector of this row is made with; calls made with it share tokens and limits with the live ones. */
  optionsOf(row: ConnectorRow): Promise<AnyConnectorOptions>;
  /** Forgets a connector, because its credentials have changed or it is gone. */
  drop(id: string): void;
}

/** The one used longest ago goes when there are more. */
const mostInstances = 500;

interface Kept {
  readonly version: string;
  readonly connector: Promise<AnyConnector>;
}

/** Keeps live connectors, so that tokens, limits and connections are shared by all requests. */
export function openInstances(options: InstanceOptions): Instances {
  const { definitions, credentials, policy, fetch, now, quotas, metrics, telemetry } = options;
  const kept = new Map<string, Kept>();

  const keep = (row: ConnectorRow, connector: Promise<AnyConnector>) => {
    kept.delete(row.id);
    kept.set(row.id, { version: row.updatedAt, connector });
    if (kept.size > mostInstances) kept.delete(kept.keys().next().value!);
    return connector;
  };
  const make = async (row: ConnectorRow): Promise<AnyConnector> => {
    const definition = await definitions.of(row.type);
    return definition.make(await optionsWith(row, definition), row.settings);
  };
  const optionsWith = async (row: ConnectorRow, definition: Definition): Promise<AnyConnectorOptions> => {
    const stored = await credentials.load(row.id);
    const watching = telemetry.vendorHooks(row.type);
    return {
      ...optionsFor(definition, stored, policy, now()),
      fetch,
      tokens: tokenStore(credentials, row.id, stored),
      hooks: {
        ...watching,
        onRequest(event) {
          quotas.sent(row.id);
          watching.onRequest?.(event);
        },
        onResponse(event) {
          metrics.vendorReply(row.type, event.status);
          quotas.replied(row.id, event);
          watching.onResponse?.(event);
        },
      },
    };
  };
  return {
    optionsOf: async (row) => optionsWith(row, await definitions.of(row.type)),
    get(row) {
      const found = kept.get(row.id);
      if (found?.version === row.updatedAt) return keep(row, found.connector);
      // Kept while it is made, so that all who ask meanwhile share it.
      const making = make(row);
      making.catch(() => {
        if (kept.get(row.id)?.connector === making) kept.delete(row.id);
      });
      return keep(row, making);
    },
    drop: (id) => void kept.delete(id),
  };
}

/** The rotating tokens of one connector, shared with every process that uses the same data. */
function tokenStore(credentials: Credentials, id: string, stored: CredentialFields | undefined): TokenStore {
  const own = new Set([stored?.refresh_token]);
  return {
    alone: (work) => credentials.alone(id, work),
    async load() {
      const { access_token, refresh_token, expires_at, base_url } = (await credentials.load(id)) ?? {};
      if (!access_token || !refresh_token) return undefined;
      own.add(refresh_token);
      return {
        access_token,
        refresh_token,
        expires_at: expires_at || null,
        ...(base_url !== undefined && { base_url }),
      };
    },
    async save({ access_token, refresh_token, expires_at, base_url }: TokenRefresh) {
      // Credentials that were replaced meanwhile are another account's: these tokens are not theirs.
      if (!own.has((await credentials.load(id))?.refresh_token)) return;
      own.add(refresh_token);
      await credentials.save(id, {
        access_token,
        refresh_token,
        expires_at: expires_at ?? '',
        ...(base_url !== undefined && { base_url }),
      });
    },
  };
}

/** What a vendor said last of one of its limits. */
export interface ToldBudget extends Budget {
  /** Milliseconds since 1970. */
  readonly toldAt: number;
}

/** A limit that is known beforehand, and what of it was used from here. */
export interface UsedLimit {
  readonly requests: number;
  readonly seconds: number;
  readonly sent: number;
}

/** What is known of the limits that a connector's calls run into. */
export interface Quota {
  readonly told: readonly ToldBudget[];
  readonly limits: readonly UsedLimit[];
  readonly sentLastMinute: number;
  readonly sentLastDay: number;
  /** When the vendor last refused a request because there were too many; null where it has not. */
  readonly refusedAt: number | null;
}

/** Notes what connectors send and what vendors tell of their limits, since this process began. */
export interface Quotas {
  /** When it began, in milliseconds since 1970. */
  readonly since: number;
  sent(id: string): void;
  replied(id: string, event: Pick<ResponseEvent, 'status' | 'budgets'>): void;
  of(id: string, limits: Limits | undefined): Quota;
}

interface Notes {
  /** Times of the last requests, oldest first. */
  recent: number[];
  /** Requests by the minute in which they went out. */
  readonly minutes: Map<number, number>;
  readonly told: Map<string, ToldBudget>;
  refusedAt: number | null;
}

const minute = 60_000;
const day = 24 * 60 * minute;
/** No window of a vendor's holds more. */
const mostRecent = 5_000;
const mostConnectors = 5_000;

/** Begins to note. */
export function openQuotas(now: () => number): Quotas {
  const known = new Map<string, Notes>();
  const notesOf = (id: string): Notes => {
    const notes = known.get(id) ?? { recent: [], minutes: new Map(), told: new Map(), refusedAt: null };
    known.delete(id);
    known.set(id, notes);
    if (known.size > mostConnectors) known.delete(known.keys().next().value!);
    return notes;
  };
  const forget = (notes: Notes) => {
    const at = now();
    const first = notes.recent.findIndex((time) => time > at - minute);
    notes.recent = first < 0 ? [] : notes.recent.slice(Math.max(first, notes.recent.length - mostRecent));
    for (const slot of notes.minutes.keys()) {
      if (slot > Math.floor((at - day) / minute)) break;
      notes.minutes.delete(slot);
    }
  };

  return {
    since: now(),
    sent(id) {
      const notes = notesOf(id);
      const slot = Math.floor(now() / minute);
      notes.recent.push(now());
      notes.minutes.set(slot, (notes.minutes.get(slot) ?? 0) + 1);
      if (notes.recent.length > 2 * mostRecent) forget(notes);
    },
    replied(id, { status, budgets = [] }) {
      const notes = notesOf(id);
      for (const budget of budgets) notes.told.set(budget.name, { ...budget, toldAt: now() });
      const isUsedUp = budgets.some(({ remaining }) => remaining <= 0);
      if (status === 429 || (status >= 400 && isUsedUp)) notes.refusedAt = now();
    },
    of(id, { windows = [], perDay } = {}) {
      const notes = notesOf(id);
      forget(notes);
      const within = (ms: number) => notes.recent.filter((time) => time > now() - ms).length;
      const sentLastDay = [...notes.minutes.values()].reduce((sum, count) => sum + count, 0);
      const used = windows.map(({ requests, perMs }) => ({ requests, seconds: perMs / 1000, sent: within(perMs) }));
      const daily = perDay === undefined ? [] : [{ requests: perDay, seconds: day / 1000, sent: sentLastDay }];
      return {
        told: [...notes.told.values()],
        limits: [...used, ...daily],
        ...{ sentLastMinute: within(minute), sentLastDay, refusedAt: notes.refusedAt },
      };
    },
  };
}
