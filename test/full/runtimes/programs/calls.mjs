// The same calls for every runtime, using only web standards and the package.
import { ConnectorError } from 'agent-connectors';
import { GongConnector } from 'agent-connectors/gong';
import { GoogleAnalyticsConnector, reports, toRecords } from 'agent-connectors/google-analytics';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import { AgentConnectors } from 'agent-connectors/hosted';
import { LinearConnector } from 'agent-connectors/linear';
import { createAgentTools } from 'agent-connectors/tools';

const codeOf = (promise) =>
  promise.then(
    () => 'nothing was refused',
    (error) => (ConnectorError.is(error) ? error.code : String(error)),
  );

async function bytesOf(stream) {
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.byteLength;
  return bytes;
}

/** Makes the calls that programs typically make, and returns the results. */
export async function calls({ sandbox, credentials, property_id, service }) {
  const create = (Class, name, more = {}) =>
    new Class({ credentials: credentials[name], endpoints: `${sandbox}/${name}`, ...more });
  const retried = [];
  const linear = create(LinearConnector, 'linear', { hooks: { onRetry: ({ delayMs }) => retried.push(delayMs > 0) } });
  const granola = create(GranolaConnector, 'granola');
  const drive = create(GoogleDriveConnector, 'google-drive');
  const analytics = create(GoogleAnalyticsConnector, 'google-analytics');
  const gong = create(GongConnector, 'gong');

  const fault = async (rule) => {
    const { ok } = await fetch(`${sandbox}/_sandbox/faults`, { method: 'POST', body: JSON.stringify(rule) });
    if (!ok) throw new Error('The sandbox did not take the fault.');
  };

  return {
    first: await firstCalls({ linear, granola, drive, analytics, gong, property_id }),
    pages: await pages(linear, granola),
    errors: await errors(linear, create(LinearConnector, 'linear', { credentials: { api_key: 'lin_api_wrong' } })),
    retried: await retries(linear, retried, fault),
    files: await files(drive),
    recording: await recording(gong),
    aborted: await aborts(linear, drive, fault),
    tools: await agentTools(linear),
    hosted: await hosted(service),
  };
}

async function firstCalls({ linear, granola, drive, analytics, gong, property_id }) {
  const report = await analytics.website_overview.list({ property_id, limit: 2 });
  return {
    linear: (await linear.issues.list({ first: 1 })).data[0].title,
    granola: (await granola.notes.list({ page_size: 1 })).data[0].title,
    'google-drive': (await drive.files.list({ orderBy: 'name', pageSize: 1 })).data[0].name,
    'google-analytics': toRecords(report, { property_id, ...reports.website_overview })[0].sessions,
    gong: (await gong.users.list()).data[0].emailAddress,
  };
}

async function pages(linear, granola) {
  const issues = new Set();
  for await (const { id } of linear.paginate('issues', 'list', { first: 100 })) issues.add(id);
  let notes = 0;
  for await (const { data } of granola.paginate('notes', 'list', { page_size: 30 }).pages()) notes += data.length;
  return { issues: issues.size, notes };
}

async function errors(linear, unauthorized) {
  return [
    await codeOf(linear.issues.get({ id: 'ENG-99999' })),
    await codeOf(linear.execute('issues', 'lisp')),
    await codeOf(linear.issues.list({ first: 'ten' })),
    await codeOf(unauthorized.issues.list()),
  ];
}

async function retries(linear, retried, fault) {
  await fault({ vendor: 'linear', kind: 'rate_limited', retryAfter: 1 });
  await linear.issues.list({ first: 1 });
  return retried;
}

async function files(drive) {
  const { data: found } = await drive.files.list({ q: "name = 'virtual-64mib.bin'" });
  const download = await drive.files.download({ fileId: found[0].id });
  const { data: uploaded } = await drive.files_upload.create({
    name: 'hello.txt',
    file_content: new Blob(['Hello from ', 'everywhere']),
    file_mime_type: 'text/plain',
  });
  const copy = await drive.files.download({ fileId: uploaded.id });
  const text = await new Response(copy.data).text();
  await drive.files.delete({ fileId: uploaded.id });
  return { bytes: await bytesOf(download.data), announced: download.meta.content_length, text };
}

async function recording(gong) {
  const { data } = await gong.calls.list({});
  const { data: stream, meta } = await gong.call_audio.download({
    filter: { callIds: [data[0].id] },
    contentSelector: { exposedFields: { media: true } },
    range_header: 'bytes=0-65535',
  });
  return { bytes: await bytesOf(stream), type: meta.content_type };
}

async function aborts(linear, drive, fault) {
  await fault({ vendor: 'linear', kind: 'slow_headers', ms: 60_000 });
  const early = await codeOf(linear.issues.list({ first: 1 }, { signal: AbortSignal.timeout(300) }));
  const { data: found } = await drive.files.list({ q: "name = 'virtual-1gib.bin'" });
  const stop = new AbortController();
  const { data } = await drive.files.download({ fileId: found[0].id }, { signal: stop.signal });
  const reader = data.getReader();
  await reader.read();
  stop.abort();
  const drained = async () => {
    while (!(await reader.read()).done);
  };
  return [early, await codeOf(drained()), (await linear.issues.list({ first: 1 })).data.length];
}

async function agentTools(linear) {
  const tools = createAgentTools([linear], { allow: ['*.list'] });
  const { text, isError } = await tools[2].run({ connector: 'linear', entity: 'teams', action: 'list' });
  return { names: tools.map(({ name }) => name), isError, engineering: text.includes('Engineering') };
}

async function hosted({ baseUrl, clientId, clientSecret, key, name }) {
  const client = new AgentConnectors({ baseUrl, clientId, clientSecret });
  const { id } = await client.connectors.create({ connector_type: 'linear', name, credentials: key });
  const { status } = await client.connectors.check(id);
  const linear = new LinearConnector({ hosted: { baseUrl, clientId, clientSecret, name } });
  const { data } = await linear.issues.list({ first: 2 });
  const missing = await codeOf(linear.issues.get({ id: 'ENG-99999' }));
  await client.connectors.delete(id);
  return { status, issues: data.length, missing };
}
