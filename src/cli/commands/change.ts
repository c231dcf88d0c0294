import { connectorPath } from '../../hosted/service.js';
import type { HostedConnector, UpdateConnector } from '../../wire/index.js';
import type { CommandCall } from '../arguments/specification.js';
import { failure, usageError } from '../failure.js';
import { connectorsIn, findHosted, openSession, type Session } from '../hosted.js';
import { confirm } from '../output/prompt.js';

const identityOf = ({ id, name, connector_type, workspace_name }: HostedConnector) => ({
  id,
  name,
  connector_type,
  workspace_name,
});

/** Renames a connector. */
export async function renameConnector(call: CommandCall): Promise<void> {
  const { to } = call.argument;
  if (to === undefined) throw usageError('Missing new name.', { hint: 'Pass it as "to".' });
  await change(call, { name: to });
}

/** Updates the given fields. */
export async function updateConnector(call: CommandCall): Promise<void> {
  const { new_name: name, credentials, replication_config, settings } = call.argument;
  const given = Object.entries({ name, credentials, replication_config, settings });
  const changes = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  if (Object.keys(changes).length === 0) {
    throw usageError('Nothing to change.', {
      hint: 'Pass new_name, credentials, replication_config or settings.',
    });
  }
  await change(call, changes);
}

async function change(call: CommandCall, changes: UpdateConnector): Promise<void> {
  const { argument, flags, print } = call;
  const session = await openSession(call);
  const row = await findHosted(session, argument);
  const report = { changes: differences(row, changes), effects: effectsOf(row, changes) };
  if (flags['dry-run']) {
    await print.result({ dry_run: true, ...identityOf(row), ...report });
    return;
  }
  await print.result({ ...(await session.client.connectors.update(row.id, changes)), ...report });
}

/** Old and new values, without credentials. */
function differences(row: HostedConnector, { credentials, ...changes }: UpdateConnector): object {
  const values = Object.entries(changes).map(([key, to]) => [
    key,
    { from: row[key as keyof HostedConnector] ?? null, to },
  ]);
  return {
    ...Object.fromEntries(values),
    ...(credentials && { credentials: { fields: Object.keys(credentials) } }),
  };
}

/** Side effects of a change. */
function effectsOf({ name: old }: HostedConnector, { name, credentials, ...rest }: UpdateConnector): string[] {
  return [
    ...(name === undefined || name === old ? [] : [`Programs that use the name '${old}' will no longer find it.`]),
    ...(credentials ? ['The stored credentials are replaced completely, not field by field.'] : []),
    ...(credentials || Object.keys(rest).length > 0 ? ['A running sync stops and restarts later.'] : []),
  ];
}

/** Deletes a connector along with its credentials and stored records. */
export async function deleteConnector(call: CommandCall): Promise<void> {
  const { argument, flags, print, environment } = call;
  const session = await openSession(call);
  const row = await findHosted(session, argument);
  const effects = { stored_records: await storedRecords(session, row.id), effects: deletionEffects };
  if (flags['dry-run']) {
    await print.result({ dry_run: true, ...identityOf(row), ...effects });
    return;
  }
  const count = effects.stored_records;
  const records = count === null ? 'its records' : count === 1 ? '1 record' : `${count} records`;
  const what = `Deleting the connector '${row.name}' (${row.connector_type}) in workspace '${row.workspace_name}', along with its credentials and ${records} in the store`;
  await confirm(what, flags.yes, environment);
  const answer = await session.send<object>('DELETE', connectorPath(row.id));
  await print.result({ name: row.name, stored_records: effects.stored_records, ...answer });
}

const deletionEffects = [
  'The credentials are deleted, and their tokens revoked if the vendor supports it.',
  'The stored records are deleted; the vendor’s own records are not.',
];

/** Number of a connector's stored records; null if the service does not report it. */
async function storedRecords({ client }: Session, id: string): Promise<number | null> {
  const inspection = await client.connectors.inspect(id).catch(() => undefined);
  const counts = inspection?.context_store_readiness?.entities.map(({ entity_count }) => entity_count ?? 0);
  return counts ? counts.reduce((sum, count) => sum + count, 0) : null;
}

/** Deletes a workspace along with all its connectors. */
export async function deleteWorkspace(call: CommandCall): Promise<void> {
  const { argument, flags, print, environment } = call;
  const name = argument.name ?? argument.workspace;
  if (name === undefined) throw usageError('Missing workspace. Pass its name: {"name":"sales"}.');
  const session = await openSession(call);
  const { data } = await session.client.workspaces.list();
  if (!data.some((workspace) => workspace.name === name)) {
    throw failure('not_found', 'Workspace not found.', {
      hint: `Available: ${data.map((each) => each.name).join(', ')}.`,
    });
  }
  const connectors = (await connectorsIn(session, name)).map(({ id, name, connector_type }) => ({
    id,
    name,
    connector_type,
  }));
  if (flags['dry-run']) {
    await print.result({ dry_run: true, name, connectors, effects: deletionEffects });
    return;
  }
  const names = connectors.map((connector) => connector.name).join(', ') || 'none';
  await confirm(`Deleting the workspace '${name}' with its connectors (${names})`, flags.yes, environment);
  await session.client.workspaces.delete(name);
  await print.result({ name, deleted: true, connectors });
}
