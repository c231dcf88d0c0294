import { GranolaConnector } from 'agent-connectors/granola';
import { show } from './show.mjs';

/**
 * Meeting notes.
 *
 * @param {import('agent-connectors-sandbox/server').SandboxServer} server
 */
export async function tourGranola(server) {
  const granola = new GranolaConnector({
    credentials: server.sandbox.vendors.granola.credentials.api_key,
    endpoints: `${server.url}/granola`,
  });
  console.log(`\nGranola, emulated at ${server.url}/granola: notes\n`);

  const notes = await show(
    'notes.list({ page_size: 3 })',
    () => granola.notes.list({ page_size: 3 }),
    ({ data }) => data.map((note) => `\n    ${note.created_at?.slice(0, 10)}  ${note.title ?? '(no title)'}`).join(''),
  );

  await show(
    "notes.get({ note_id, include: 'transcript' })",
    () => granola.notes.get({ note_id: notes.data[0].id, include: 'transcript' }),
    ({ data }) => `${data.transcript?.length} turns; it begins "${data.transcript?.[0]?.text?.slice(0, 60)}"`,
  );
}
