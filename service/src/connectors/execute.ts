import {
  type AnyConnector,
  ConnectorError,
  type DownloadMeta,
  type ExecuteOptions,
  type Transport,
} from 'agent-connectors';
import type { ConnectorRow } from '../state/types.js';
import { type Definition, definitionOf } from './definitions.js';
import type { Instances } from './instances.js';

/** One call of an action, as a request asks for it. */
export interface Asked {
  readonly entity: string;
  readonly action: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly select_fields?: readonly string[] | undefined;
  readonly exclude_fields?: readonly string[] | undefined;
  readonly skip_truncation?: boolean | undefined;
  readonly raw?: boolean | undefined;
}

/** What an action resolved to. */
export interface Executed {
  readonly data: unknown;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** A file on its way. */
export interface Download {
  readonly data: ReadableStream<Uint8Array>;
  readonly meta: DownloadMeta;
}

/** Strings of lists are cut here when the caller asks for short ones. */
const shortString = 200;

/** Runs one action of a connector; a search is answered by the service, all else by the vendor. */
export async function execute(
  row: ConnectorRow,
  asked: Asked,
  instances: Instances,
  signal: AbortSignal | undefined,
): Promise<Executed> {
  const { entity, action, params = {} } = asked;
  const definition = await definitionOf(row.type);
  const hosted = definition.action(entity, action)?.hosted_only ?? false;
  const connector = hosted ? searcherOf(definition) : await instances.get(row);
  try {
    return (await connector.execute(entity, action, params, optionsOf(asked, signal))) as Executed;
  } catch (error) {
    throw inWireNames(error);
  }
}

function optionsOf(asked: Asked, signal: AbortSignal | undefined): ExecuteOptions {
  const { action, select_fields, exclude_fields, skip_truncation = true, raw } = asked;
  const cut = !skip_truncation && (action === 'list' || action === 'context_store_search');
  return {
    ...(signal && { signal }),
    ...(select_fields && { selectFields: select_fields }),
    ...(exclude_fields && { excludeFields: exclude_fields }),
    ...(raw && { raw }),
    ...(cut && { maxStringLength: shortString }),
  };
}

const wireNames: Readonly<Record<string, string>> = { selectFields: 'select_fields', excludeFields: 'exclude_fields' };

/** The library calls its shaping options by other names than the wire does. */
function inWireNames(error: unknown): unknown {
  if (!ConnectorError.is(error)) return error;
  const own = error.issues?.find(({ path }) => Object.hasOwn(wireNames, path))?.path;
  if (own === undefined) return error;
  const { code, message, issues = [], hint, docs } = error;
  return new ConnectorError(code, message.replace(own, wireNames[own]!), {
    issues: issues.map(({ path, message: text }) => ({ path: wireNames[path] ?? path, message: text })),
    hint,
    docs,
  });
}

const searchers = new Map<Definition, AnyConnector>();

/** A connector of the type that checks a search as the library does, and then finds no store to ask. */
function searcherOf(definition: Definition): AnyConnector {
  const searcher = searchers.get(definition) ?? definition.make({ transport: withoutStore });
  searchers.set(definition, searcher);
  return searcher;
}

const withoutStore: Transport = async () => ({
  data: [],
  meta: {
    has_more: false,
    cursor: null,
    took_ms: 0,
    readiness: {
      status: 'not_configured',
      ready_for_search: false,
      message: 'Nothing has been replicated for this connector, so that a search finds nothing; list and get work.',
    },
  },
});
