import { connectorPath } from '../../hosted/service.js';
import type { ConnectorCheck, SkillDocs, SyncJob } from '../../wire/index.js';
import type { CommandCall } from '../arguments/specification.js';
import { findHosted, openSession } from '../hosted.js';
import { wrapMarkdown } from '../output/cell.js';
import { printList } from './list.js';
import { printEnd, watchJob } from './watch.js';

/** Lists connectors: one page, or all of them with `--all`, one per line. */
export async function listConnectors(call: CommandCall): Promise<void> {
  const session = await openSession(call);
  const { workspace = session.workspace, connector_type } = call.argument;
  const filter = { workspace_name: workspace, connector_type };
  await printList(call, session, '/integrations/connectors', filter, {}, (row) => ({ ...row, docs_id: row.id }));
}

/** Shows a connector and the search readiness of its entities. */
export async function inspectConnector(call: CommandCall): Promise<void> {
  const session = await openSession(call);
  const { id } = await findHosted(session, call.argument);
  await call.print.result(await session.client.connectors.inspect(id));
}

/** Lists a connector's sync jobs, or watches the newest one. */
export async function listJobs(call: CommandCall): Promise<number | void> {
  const session = await openSession(call);
  const { id } = await findHosted(session, call.argument);
  if (call.flags.watch) return printEnd(call, await watchJob(call, session, id));
  const columns = { first: ['id', 'status', 'requested', 'started_at', 'read', 'changed', 'failed'] };
  await printList(call, session, `${connectorPath(id)}/jobs`, {}, columns, call.print.pretty ? withCounts : undefined);
}

/** A job whose counts are columns of a table. */
const withCounts = ({ counts, ...job }: SyncJob) => ({
  ...job,
  read: counts.read,
  changed: counts.inserted + counts.updated,
  removed: counts.removed,
  failed: counts.failed,
});

/** Checks a connector's credentials with one cheap read. */
export async function checkConnector(call: CommandCall): Promise<number> {
  if (call.flags.local) return (await import('../local/check.js')).checkLocal(call);
  const session = await openSession(call);
  const { id } = await findHosted(session, call.argument);
  const check = await session.send<ConnectorCheck>('POST', `${connectorPath(id)}/check`, {}, { idempotent: true });
  await call.print.result(check);
  return check.status === 'failed' ? 2 : check.status === 'succeeded' ? 0 : 1;
}

/** Makes the service sync the connector's records, and waits for the end if requested. */
export async function syncConnector(call: CommandCall): Promise<number | void> {
  const session = await openSession(call);
  const { id } = await findHosted(session, call.argument);
  const sync = await session.send<{ job_id: string }>('POST', `${connectorPath(id)}/sync`, {});
  if (call.flags.wait) return printEnd(call, await watchJob(call, session, id, sync.job_id));
  await call.print.result(sync);
}

/** Shows a connector's documentation for agents. */
export async function skillDocs(call: CommandCall): Promise<void> {
  const { argument, print } = call;
  const session = await openSession(call);
  const { section, docs_skill_id, docs_id = docs_skill_id } = argument;
  const id = docs_id ?? (await docsOf(call, session));
  const docs = await session.get<SkillDocs>('/skills/docs', { id, section });
  const maxWidth = Math.min(call.environment.stdout.columns || 80, 80);
  await (print.pretty ? print.text(`${wrapMarkdown(docs.content.trimEnd(), maxWidth)}\n`) : print.result(docs));
}

async function docsOf({ argument }: CommandCall, session: Awaited<ReturnType<typeof openSession>>): Promise<string> {
  return (await findHosted(session, argument)).id;
}
