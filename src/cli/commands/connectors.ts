import { connectorPath } from '../../hosted/service.js';
import type { ConnectorCheck, SkillDocs } from '../../hosted/wire.js';
import type { CommandCall } from '../arguments/specification.js';
import { usageError } from '../failure.js';
import { connectorPages, findHosted, openSession } from '../hosted.js';
import { confirm } from '../output/prompt.js';

/** Lists connectors: a page, or with `--all` every one as a line. */
export async function listConnectors(call: CommandCall): Promise<void> {
  const { argument, flags, print } = call;
  const session = await openSession(call);
  const { workspace = session.workspace, connector_type, limit, cursor } = argument;
  if (flags.all && cursor !== undefined) throw usageError('--all begins with the first page: leave cursor out.');
  const filter = { workspace_name: workspace, connector_type, limit };
  if (!flags.all) {
    await print.result(await session.get('/integrations/connectors', { ...filter, cursor }));
    return;
  }
  for await (const page of connectorPages(session, filter)) {
    for (const connector of page) await print.line(connector);
  }
}

/** Whether a connector's credentials hold, by one cheap read. */
export async function checkConnector(call: CommandCall): Promise<number> {
  if (call.flags.local) return (await import('../local/check.js')).checkLocal(call);
  const session = await openSession(call);
  const { id } = await findHosted(session, call.argument);
  const check = await session.send<ConnectorCheck>('POST', `${connectorPath(id)}/check`, {}, { idempotent: true });
  await call.print.result(check);
  return check.status === 'failed' ? 2 : check.status === 'succeeded' ? 0 : 1;
}

/** Has the service copy the connector's records anew. */
export async function syncConnector(call: CommandCall): Promise<void> {
  const session = await openSession(call);
  const { id } = await findHosted(session, call.argument);
  await call.print.result(await session.send('POST', `${connectorPath(id)}/sync`, {}));
}

/** Removes a connector with its credentials and stored records. */
export async function deleteConnector(call: CommandCall): Promise<void> {
  const { argument, flags, print, environment } = call;
  const session = await openSession(call);
  const { id, name, connector_type, workspace_name } = await findHosted(session, argument);
  const what = `Deleting the connector '${name}' (${connector_type}) of the workspace '${workspace_name}'`;
  await confirm(what, flags.yes, environment);
  await session.send('DELETE', connectorPath(id));
  await print.result({ id, name, deleted: true });
}

/** Documentation for agents, of one connector. */
export async function skillDocs(call: CommandCall): Promise<void> {
  const { argument, print } = call;
  const session = await openSession(call);
  const { section, docs_id } = argument;
  const id = docs_id ?? (await docsOf(call, session));
  const docs = await session.get<SkillDocs>('/skills/docs', { id, section });
  await (print.pretty ? print.text(`${docs.content.trimEnd()}\n`) : print.result(docs));
}

async function docsOf({ argument }: CommandCall, session: Awaited<ReturnType<typeof openSession>>): Promise<string> {
  const { id } = await findHosted(session, argument);
  return (await session.get<{ docs_skill_id: string }>(`${connectorPath(id)}/inspect`)).docs_skill_id;
}
