import { ConnectorError } from '../errors/connector-error.js';
import type { ToolConnector, ToolConnectors } from '../tools/toolset.js';

/** The given connectors, with the caller's own names if any. */
export type ConnectorEntries = ReadonlyArray<readonly [name: string | undefined, connector: ToolConnector]>;

const isConnector = (value: ToolConnectors): value is ToolConnector =>
  typeof (value as ToolConnector).execute === 'function' && typeof (value as ToolConnector).describe === 'function';

/** Normalizes the accepted forms of connectors. */
export function connectorEntries(connectors: ToolConnectors): ConnectorEntries {
  if (isConnector(connectors)) return [[undefined, connectors]];
  if (Array.isArray(connectors)) {
    return (connectors as readonly ToolConnector[]).map((connector) => [undefined, connector]);
  }
  return Object.entries(connectors as Readonly<Record<string, ToolConnector>>);
}

/** Whether both contain the same objects under the same names. */
export const hasSameConnectors = (one: ConnectorEntries, other: ConnectorEntries): boolean =>
  one.length === other.length &&
  one.every(([name, connector], index) => name === other[index]?.[0] && connector === other[index]?.[1]);

/** Connectors sorted by name, so the same set is always announced identically. */
export function guardedConnectors(
  given: ConnectorEntries,
  allowWrites: boolean,
): Readonly<Record<string, ToolConnector>> {
  const entries = given
    .map(([name, connector]) => {
      const offered = guardConnector(connector, allowWrites);
      return [name ?? offered.describe().name, offered] as const;
    })
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const duplicate = entries.find(([name], index) => name === entries[index + 1]?.[0]);
  if (duplicate) {
    const message = `Two connectors are named '${duplicate[0]}'; pass them as { <name>: connector }.`;
    throw new ConnectorError('invalid_params', message);
  }
  return Object.fromEntries(entries);
}

/** Caches the connector's description; unless writes are allowed, runs only known reads. */
export function guardConnector(connector: ToolConnector, allowWrites: boolean): ToolConnector {
  const description = connector.describe();
  const reads = new Set(
    description.entities.flatMap(({ name: entity, actions }) =>
      actions.flatMap(({ name, effect }) => (effect === 'read' ? `${entity}.${name}` : [])),
    ),
  );
  const { searchable, inspect, following, check, onDenied, approvedElsewhere } = connector;
  return {
    describe: () => description,
    searchable,
    guide: async () => (await connector.guide?.()) ?? '',
    ...(inspect && { inspect: () => inspect.call(connector) }),
    ...(following && { following: following.bind(connector) }),
    ...(check && { check: check.bind(connector) }),
    ...(onDenied && { onDenied: onDenied.bind(connector) }),
    ...(approvedElsewhere && { approvedElsewhere: approvedElsewhere.bind(connector) }),
    execute: async (entity, action, params, options) => {
      if (!allowWrites && !reads.has(`${entity}.${action}`)) {
        throw new ConnectorError('denied_by_policy', `${entity}.${action} is not known to be a read and was rejected.`);
      }
      return connector.execute(entity, action, params, options);
    },
  };
}
