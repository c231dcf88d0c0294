import { GongConnector } from 'agent-connectors/gong';
import { show } from './show.mjs';

/**
 * Calls, their transcripts, and a recording; then the issues mentioned in a call, from Linear.
 *
 * @param {import('agent-connectors-sandbox/server').SandboxServer} server
 * @param {import('agent-connectors/linear').LinearConnector} linear
 */
export async function tourGong(server, linear) {
  const gong = new GongConnector({
    credentials: server.sandbox.vendors.gong.credentials.basic,
    endpoints: `${server.url}/gong`,
  });
  console.log(`\nGong, emulated at ${server.url}/gong: sixteen entities\n`);

  const calls = await show(
    'calls.list({})',
    () => gong.calls.list({}),
    ({ data, meta }) => `${data.length} calls, ${meta.private_dropped} private calls omitted`,
  );
  const callIds = calls.data.map(({ id }) => id);

  const transcripts = await show(
    'call_transcripts.list({ filter: { callIds } })',
    () => gong.call_transcripts.list({ filter: { callIds } }),
    ({ data }) => `${data.length} transcripts, ${data.flatMap(({ transcript }) => transcript ?? []).length} turns`,
  );

  const spoken = transcripts.data.flatMap(({ callId, transcript }) => {
    const [identifier] = JSON.stringify(transcript).match(/\b[A-Z]{3}-\d+\b/) ?? [];
    return identifier === undefined ? [] : [{ callId, identifier }];
  });
  for (const { callId, identifier } of spoken.slice(0, 2)) {
    const call = calls.data.find(({ id }) => id === callId);
    await show(
      `issues.get({ id: '${identifier}' }), named in a call`,
      () => linear.issues.get({ id: identifier }),
      ({ data }) => `"${data.title}"\n    from the call "${call?.title}"`,
    );
  }

  await show(
    'call_audio.download({ …, range_header })',
    async () => {
      const download = await gong.call_audio.download({
        filter: { callIds: [callIds[0] ?? ''] },
        contentSelector: { exposedFields: { media: true } },
        range_header: 'bytes=0-65535',
      });
      return { ...download, size: (await new Response(download.data).arrayBuffer()).byteLength };
    },
    ({ size, meta }) => `${size} bytes of ${meta.content_type}, ${meta.content_range}`,
  );
}
