import { type AnyConnector, ConnectorError } from 'agent-connectors';
import type { Source } from 'agent-connectors/replication';
import type { ConnectorRow, Person } from '../../data/state/rows.js';
import { readersByLink } from '../accounts/person.js';
import { type Definition, searchAction } from './definitions.js';

/**
 * Rejects calls that cannot be limited to a user's access: connectors without access information, and actions that
 * read more than one record.
 */
export function requireBoundAction(
  { replicationConfig, name }: ConnectorRow,
  { replication, manifest }: Definition,
  entity: string,
  action: string,
): void {
  const access = replication?.access;
  if (!access?.isReplicated(replicationConfig ?? {})) {
    throw new ConnectorError(
      'forbidden',
      `This token is bound to a user, and '${name}' does not replicate record permissions.`,
      {
        hint: access
          ? 'Ask someone who manages the connector to enable replication_config.permissions.'
          : `${manifest.title} does not provide permissions that the service can check: use a token that is not bound to a user.`,
      },
    );
  }
  const isOpen = action === searchAction ? entity in access.readers : access.actions.includes(`${entity}.${action}`);
  if (isOpen) return;
  throw new ConnectorError('forbidden', `${entity}.${action} is not available to a token bound to a user.`, {
    hint: `Use ${Object.keys(access.readers)
      .map((one) => `${one}.${searchAction}`)
      .join(', ')}, or one of ${access.actions.join(', ')}.`,
  });
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields of an entity that users do not see. */
export const hiddenFields = ({ replication }: Definition, entity: string): readonly string[] =>
  replication?.access?.hidden?.[entity] ?? [];

/** A record without the values of some fields. */
export const withoutValues = <T>(record: T, fields: readonly string[]): T =>
  fields.some((name) => Object.hasOwn(record as object, name))
    ? {
        ...record,
        ...Object.fromEntries(fields.flatMap((name) => (Object.hasOwn(record as object, name) ? [[name, null]] : []))),
      }
    : record;

/** Throws `not_found`, as for a missing record, unless the vendor currently allows the user to read the record. */
export async function requireReader(
  person: Person,
  definition: Definition,
  connector: Pick<AnyConnector, 'execute'>,
  { action, params, now }: { readonly action: string; readonly params: Fields; readonly now: number },
): Promise<void> {
  const access = definition.replication!.access!;
  const run = connector.execute.bind(connector) as Source['execute'];
  const mayShare = access.sharing?.includes(action) ?? false;
  const readers = await access.readersOf(run, params, now, mayShare).catch((error: unknown) => {
    if (ConnectorError.is(error) && (error.code === 'not_found' || error.code === 'forbidden')) return [];
    throw error;
  });
  const names = readersByLink(person);
  if (readers.some((reader) => names.includes(reader))) return;
  throw new ConnectorError('not_found', 'The record does not exist or is not visible to this user.');
}
