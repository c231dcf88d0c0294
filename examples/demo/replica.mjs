import { GongConnector } from 'agent-connectors/gong';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { show } from './show.mjs';

const names = /** @type {const} */ (['linear', 'granola', 'google-drive', 'google-analytics', 'gong']);
const day = 24 * 60 * 60 * 1000;

/**
 * Five connectors whose records the service replicates and searches.
 *
 * @param {import('agent-connectors-sandbox/server').SandboxServer} server
 * @param {import('agent-connectors/hosted').AgentConnectors} connectors
 */
export async function tourReplica(server, connectors) {
  const { vendors } = server.sandbox;
  const start_date = new Date(Date.now() - 60 * day).toISOString().slice(0, 10);
  const credentials = {
    linear: vendors.linear.credentials.api_key,
    granola: vendors.granola.credentials.api_key,
    'google-drive': vendors['google-drive'].credentials.oauth,
    'google-analytics': vendors['google-analytics'].credentials.oauth,
    gong: vendors.gong.credentials.basic,
  };
  const config = {
    gong: { start_date },
    'google-drive': { shared_with_me: true },
    'google-analytics': { property_ids: vendors['google-analytics'].properties.website, start_date },
  };
  const made = await show(
    'connectors.create({ connector_type, credentials }) × 5',
    () =>
      Promise.all(
        names.map((connector_type) =>
          connectors.connectors.create({
            connector_type,
            credentials: credentials[connector_type],
            ...(connector_type in config && { replication_config: config[/** @type {'gong'} */ (connector_type)] }),
          }),
        ),
      ),
    (all) => all.map(({ name }) => name).join(', '),
  );

  await show(
    'replication of all that can be searched',
    () =>
      replicated(
        connectors,
        made.map(({ id }) => id),
      ),
    ({ records, entities }) => `${records} records from ${entities} entities`,
  );

  const linear = connectors.connect(LinearConnector);
  const gong = connectors.connect(GongConnector);
  await show(
    'urgent issues of the bank feeds, the newest first',
    () =>
      linear.issues.context_store_search({
        query: { filter: { keyword: { title: 'bank feed' }, in: { priority: [1, 2] } }, sort: [{ createdAt: 'desc' }] },
        fields: ['identifier', 'title', 'state.name'],
        limit: 3,
      }),
    ({ data }) => data.map(({ identifier, title }) => `\n    ${identifier}  ${title}`).join(''),
  );
  await show(
    'days with the most sessions',
    () =>
      connectors.connect(GoogleAnalyticsConnector).website_overview.context_store_search({
        query: { sort: [{ sessions: 'desc' }] },
        fields: ['date', 'sessions', 'totalUsers'],
        limit: 3,
      }),
    ({ data }) => data.map(({ date, sessions }) => `\n    ${date}  ${sessions} sessions`).join(''),
  );
  await show(
    '"transactions missing after a retry", in calls',
    () =>
      gong.call_transcripts.context_store_search({
        semantic: { prompt: 'transactions missing after a retry', context_size: 160 },
        limit: 2,
      }),
    ({ data }) => data.map(passage('speakerName')).join(''),
  );
  await show(
    '"transactions missing after a retry", in issues',
    () =>
      linear.issues.context_store_search({
        semantic: { prompt: 'transactions missing after a retry', context_size: 160 },
        limit: 2,
      }),
    ({ data }) => data.map(passage('assigneeName')).join(''),
  );
  await show(
    '"what was agreed about month end", in notes',
    () =>
      connectors.connect(GranolaConnector).notes.context_store_search({
        semantic: { field: 'summary_markdown', prompt: 'what was agreed about month end', context_size: 160 },
        limit: 2,
      }),
    ({ data }) => data.map(passage()).join(''),
  );
  await show(
    '"plan for the move to Frankfurt", in files',
    () =>
      connectors.connect(GoogleDriveConnector).files.context_store_search({
        semantic: { prompt: 'plan for the move to Frankfurt', context_size: 160 },
        limit: 2,
      }),
    ({ data }) => data.map(passage()).join(''),
  );
}

/** @param {string} [name] */
const passage =
  (name) =>
  (/** @type {{ entity: any, metadata: any }} */ { entity, metadata }) => {
    const where = entity.identifier ?? entity.title ?? entity.file_path ?? entity.callId;
    const who = name && metadata[name] ? `, ${metadata[name]}` : '';
    return `\n    ${where}${who}: ${metadata.context.replaceAll(/\s+/g, ' ').slice(0, 200)}`;
  };

/**
 * Waits until everything is replicated, and shows the progress.
 *
 * @param {import('agent-connectors/hosted').AgentConnectors} connectors
 * @param {readonly string[]} ids
 */
async function replicated(connectors, ids) {
  const width = 40;
  for (;;) {
    const inspections = await Promise.all(ids.map((id) => connectors.connectors.inspect(id)));
    const entities = inspections.flatMap(({ context_store_readiness }) => context_store_readiness.entities);
    const failed = entities.find(({ status }) => status === 'failed');
    if (failed) throw new Error(`${failed.entity}: ${failed.error}`);
    const ready = entities.filter(({ status }) => status === 'ready').length;
    const records = entities.reduce((sum, { entity_count }) => sum + (entity_count ?? 0), 0);
    if (process.stdout.isTTY) {
      const full = Math.round((width * ready) / entities.length);
      process.stdout.write(`\r  [${'#'.repeat(full).padEnd(width, '.')}] ${records} records\u001b[K`);
    }
    if (ready === entities.length) {
      if (process.stdout.isTTY) process.stdout.write('\r\u001b[K');
      return { records, entities: entities.length };
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
