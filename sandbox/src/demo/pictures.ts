import { serve } from 'agent-connectors-service';
import { createSandbox } from '../sandbox.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A service whose connectors have been used for two weeks, for pictures of the console. */
export async function startUsedService() {
  const sandbox = createSandbox({ seed: 7 });
  for (const vendor of Object.values(sandbox.vendors)) {
    (vendor as { limits: unknown }).limits = { requestsPerSecond: Number.POSITIVE_INFINITY };
  }
  const end = Date.now();
  /** The service's time while it is used; afterwards it has the time of the browser. */
  let now: number | undefined = end - 13 * dayMs;
  /** Requests to Gong that are answered; those after them wait, so that a first sync runs while pictures are taken. */
  let answered = Number.POSITIVE_INFINITY;
  const slowFetch: typeof fetch = (input, init) => {
    const { hostname } = new URL(input instanceof Request ? input.url : String(input));
    return hostname.endsWith('gong.io') && answered-- <= 0 ? untilAborted(init?.signal) : sandbox.fetch(input, init);
  };
  const service = await serve({
    dataFolder: ':memory:',
    dev: true,
    port: 0,
    now: () => now ?? Date.now(),
    fetch: slowFetch,
  });
  const { id: organizationId } = await service.state.organizations.create('Fernhill');
  await service.state.workspaces.create(organizationId, 'main');
  const { client, secret } = await service.state.clients.create('Fernhill program', [organizationId]);
  const ask = async (path: string, json?: object, token?: string): Promise<any> => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const init = json ? { method: 'POST', headers, body: JSON.stringify(json) } : { headers };
    return (await fetch(service.url + path, init)).json();
  };
  const token = async () =>
    (await ask('/api/v1/account/applications/token', { client_id: client.id, client_secret: secret })).access_token;
  const { linear, granola, gong, 'google-drive': drive, 'google-analytics': analytics } = sandbox.vendors;
  const start_date = new Date(end - 60 * dayMs).toISOString().slice(0, 10);
  const ids: Record<string, string> = {};
  for (const [name, connector_type, credentials, replication_config] of [
    ['Issues', 'linear', linear.credentials.api_key, {}],
    ['Calls', 'gong', gong.credentials.basic, { entities: ['users', 'calls'], start_date }],
    ['Notes', 'granola', granola.credentials.api_key, {}],
    ['Documents', 'google-drive', drive.credentials.access_token, {}],
    ['Website', 'google-analytics', analytics.credentials.service_account, { property_ids: ['320200001'], start_date }],
    ['Old workspace', 'linear', { api_key: 'lin_api_gone' }, {}],
  ] as const) {
    const config = { ...replication_config, interval: '1d' };
    const json = { workspace_name: 'main', name, connector_type, credentials, replication_config: config };
    ids[name] = (await ask('/api/v1/integrations/connectors', json, await token())).id;
  }
  const waitForSyncs = async () => {
    for (;;) {
      const { data } = await ask('/api/v1/overview', undefined, await token());
      const isOpen = ({ job }: any) =>
        !job || job.status === 'running' || (job.status === 'queued' && job.attempts === 0);
      if (!data.some(isOpen)) return;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };
  await waitForSyncs();
  const execute = async (name: string, entity: string, action: string, params: object = {}) =>
    ask(`/api/v1/integrations/connectors/${ids[name]}/execute`, { entity, action, params }, await token());
  const { result: issues } = await execute('Issues', 'issues', 'list', { first: 1 });
  ids.issue = issues[0].id;
  await execute('Documents', 'files_upload', 'create', {
    name: 'Review of the release',
    text: `Discussed ${issues[0].url}.`,
    mimeType: 'application/vnd.google-apps.document',
  });
  await ask(`/api/v1/integrations/connectors/${ids.Documents}/sync`, {}, await token());
  let number = 0;
  for (; now < end; now += now < end - 25 * hourMs ? dayMs : hourMs) {
    number += 1;
    for (let count = 0; count < 2 + ((number * 7) % 5); count++) {
      await execute('Issues', 'issues', 'list', { first: 1 + (count % 3) });
      if (count % 2 === 0) await execute('Documents', 'files', 'list', { pageSize: 5 });
      if (count === 3) await execute('Issues', 'issues', 'get', { id: 'ENG-0' });
    }
    const issueId = issues[0].id;
    for (let count = 0; count < 3 + ((number * 5) % 9); count++) {
      await execute('Issues', 'comments', 'create', { issueId, body: `Looked at it again, ${number}.${count}` });
    }
    await ask(`/api/v1/integrations/connectors/${ids.Issues}/sync`, {}, await token());
    await waitForSyncs();
  }
  now = undefined;
  const body = 'The reset works again since **2.14**.\n\n- Checked with two accounts\n- Documented in the help center';
  const comment = { entity: 'comments', action: 'create', params: { issueId: issues[0].id, body } };
  await ask(`/api/v1/integrations/connectors/${ids.Issues}/execute/prepare`, comment, await token());
  answered = 12;
  const firstSync = { workspace_name: 'main', name: 'All calls', connector_type: 'gong' };
  ids.firstSync = (
    await ask('/api/v1/integrations/connectors', { ...firstSync, credentials: gong.credentials.basic }, await token())
  ).id;
  const empty = await service.state.organizations.create('New');
  await service.state.workspaces.create(empty.id, 'main');
  const newClient = (await service.state.clients.create('New program', [empty.id])).client;
  const link = async (id: string) =>
    `${service.url}/console/#link=${await service.state.consoleSessions.createLink(id)}`;
  return {
    url: service.url,
    ids,
    signInUrl: () => link(client.id),
    /** To an organization without connectors. */
    emptySignInUrl: () => link(newClient.id),
    close: () => service.close(),
  };
}

/** A response that never comes. */
const untilAborted = (signal: AbortSignal | null | undefined): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));
