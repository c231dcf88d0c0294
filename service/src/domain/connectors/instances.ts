import type { AnyConnector, ResponseEvent, TokenRefresh, TokenStore } from 'agent-connectors';
import type { Telemetry } from '../../common/telemetry/types.js';
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
  /** Told of every request to a vendor. */
  readonly onSend: (row: ConnectorRow) => void;
  /** Told of every reply of a vendor. */
  readonly onReply: (row: ConnectorRow, event: ResponseEvent) => void;
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
  const { definitions, credentials, policy, fetch, now, onSend, onReply, telemetry } = options;
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
          onSend(row);
          watching.onRequest?.(event);
        },
        onResponse(event) {
          onReply(row, event);
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
