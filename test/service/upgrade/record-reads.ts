import type { Service } from 'agent-connectors-service';
import type { Facts, FixtureClient, RecordedCall } from './facts.js';
import { createRequester, type Requester } from './fill.js';

/** What to request, and as whom. */
interface RecordingContext {
  readonly service: Service;
  readonly clients: Readonly<Record<string, FixtureClient>>;
  readonly scoped: string;
  readonly cookie: string;
  readonly connectors: Readonly<Record<string, string>>;
  readonly foreign: string;
}

type Reads = Pick<Facts, 'calls' | 'answers' | 'meant'>;

/** One read from each vendor. */
const calls: ReadonlyArray<readonly [type: string, entity: string, action: string, params?: object]> = [
  ['linear', 'teams', 'list'],
  ['granola', 'notes', 'list'],
  ['gong', 'users', 'list'],
  ['google-drive', 'files', 'list', { pageSize: 5, orderBy: 'name' }],
];

/** Various conditions, with the fields to return from matching records. */
const conditions: ReadonlyArray<readonly [type: string, entity: string, query: object, fields: readonly string[]]> = [
  ['linear', 'issues', { filter: { gte: { priority: 2 } }, sort: [{ createdAt: 'desc' }] }, ['id', 'state.name']],
  ['linear', 'issues', { filter: { fuzzy: { title: 'import' } } }, ['id', 'title']],
  ['linear', 'issues', { filter: { not: { eq: { 'state.name': 'Done' } } }, sort: [{ number: 'asc' }] }, ['id']],
  ['linear', 'users', { filter: { eq: { active: true } }, sort: [{ name: 'asc' }] }, ['id', 'name']],
  ['granola', 'notes', { filter: { fuzzy: { title: 'priya' } }, sort: [{ created_at: 'asc' }] }, ['id', 'title']],
  ['gong', 'calls', { filter: { gt: { duration: 600 } }, sort: [{ started: 'desc' }] }, ['id', 'started']],
  ['google-drive', 'files', { filter: { like: { file_name: '%.md' } } }, ['id', 'file_path']],
  ['google-analytics', 'devices', { filter: { in: { deviceCategory: ['mobile', 'tablet'] } } }, ['date', 'sessions']],
];

/** Fields that may change: human-readable texts, values that are new in each response, and scores. */
const volatileFields = new Set([
  'took_ms',
  'score',
  'context',
  'request_id',
  'execution_metadata',
  'connector_metadata',
  'message',
  'hint',
  'docs',
  'docs_skill_id',
  'warnings',
  'version',
]);

const stableFields = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body, (name, value) => (volatileFields.has(name) ? undefined : value)));

/** Sends every request that must get the same response after an upgrade. */
export async function recordReads({
  service,
  clients,
  scoped,
  cookie,
  connectors,
  foreign,
}: RecordingContext): Promise<Reads> {
  const requesters: Record<string, Requester> = {
    scoped: createRequester(service, { authorization: `Bearer ${scoped}` }),
    console: createRequester(service, { cookie, 'x-console': '1', 'sec-fetch-site': 'same-origin' }),
  };
  for (const [name, { token }] of Object.entries(clients)) {
    requesters[name] = createRequester(service, { authorization: `Bearer ${token}` });
  }
  const recordCall = async (
    as: string,
    method: string,
    path: string,
    json?: unknown,
    expected = 200,
  ): Promise<RecordedCall> => {
    const { status, body } = await requesters[as]!(method, path, { json, expected });
    return { as, method, path, ...(json !== undefined && { json }), status, body: stableFields(body) };
  };
  const pathOf = (id: string, rest = '') => `/api/v1/integrations/connectors/${id}${rest}`;
  const answers: RecordedCall[] = [];
  for (const as of ['acme', 'globex', 'both', 'scoped']) {
    answers.push(
      await recordCall(as, 'GET', '/api/v1/account/me'),
      await recordCall(as, 'GET', '/api/v1/organizations'),
    );
  }
  answers.push(await recordCall('console', 'GET', '/console/session'));
  for (const as of ['acme', 'globex', 'scoped', 'console']) {
    for (const rest of ['workspaces', 'integrations/connectors', 'policies']) {
      // A workspace token can read and write, but policies require `admin`.
      const status = as === 'scoped' && rest === 'policies' ? 403 : 200;
      answers.push(await recordCall(as, 'GET', `/api/v1/${rest}`, undefined, status));
    }
  }
  answers.push(await recordCall('acme', 'GET', pathOf(foreign), undefined, 404));
  answers.push(await recordCall('globex', 'GET', pathOf(connectors.linear!), undefined, 404));
  answers.push(await recordCall('globex', 'GET', pathOf(foreign, '/jobs')));
  const searching = (type: string, entity: string, params: object) => {
    const json = { entity, action: 'context_store_search', params };
    return recordCall('acme', 'POST', pathOf(connectors[type]!, '/execute'), json);
  };
  const semanticSearches: Facts['meant'][number][] = [];
  for (const [type, id] of Object.entries(connectors)) {
    const inspected = await recordCall('acme', 'GET', pathOf(id, '/inspect'));
    answers.push(inspected, await recordCall('acme', 'GET', pathOf(id)));
    // Linear's jobs are requested last, since Linear still gets another one.
    if (type !== 'linear') answers.push(await recordCall('acme', 'GET', pathOf(id, '/jobs')));
    for (const { entity, entity_count, semantic } of inspected.body.context_store_readiness.entities) {
      if (entity_count === null) continue;
      const some = await searching(type, entity, { query: {}, limit: 1 });
      const [record] = some.body.result.data;
      if (!record) continue;
      const names = Object.keys(record);
      const field = names.find((name) => name === 'id' || name === 'date') ?? names.find((name) => /Id$/.test(name))!;
      answers.push(some, await searching(type, entity, { query: {}, fields: [field], limit: 10_000 }));
      for (const { field: text } of semantic)
        semanticSearches.push(...(await semanticSearchesOf(requesters.acme!, id, entity, text)));
    }
  }
  for (const [type, entity, query, fields] of conditions) {
    answers.push(await searching(type, entity, { query, fields }));
  }
  const vendorCalls: RecordedCall[] = [];
  for (const [type, entity, action, params] of calls) {
    const json = { entity, action, ...(params && { params }), select_fields: ['id'] };
    vendorCalls.push(await recordCall('acme', 'POST', pathOf(connectors[type]!, '/execute'), json));
  }
  return { calls: vendorCalls, answers, meant: semanticSearches };
}

/** A search that finds a record by the first words of its text, in the entity and in the whole workspace. */
async function semanticSearchesOf(
  ask: Requester,
  connector: string,
  entity: string,
  field: string,
): Promise<Facts['meant'][number][]> {
  const path = `/api/v1/integrations/connectors/${connector}/execute`;
  const search = (params: object) => ({ entity, action: 'context_store_search', params, skip_truncation: true });
  const all = await ask('POST', path, { json: search({ query: {}, limit: 100 }) });
  const [source] = all.body.result.data.filter((record: any) => wordsOf(record[field]).length > 20);
  if (!source) return [];
  const prompt = wordsOf(source[field]).slice(0, 12).join(' ');
  const searches = [
    { path, json: search({ semantic: { prompt, field }, limit: 5 }) },
    { path: '/api/v1/workspaces/main/search', json: { prompt, limit: 5 } },
  ];
  const matching: Facts['meant'][number][] = [];
  for (const { path, json } of searches) {
    const { body } = await ask('POST', path, { json });
    const [first] = (body.result ?? body).data;
    const name = Object.hasOwn(source, 'id') ? 'id' : 'callId';
    // Other searches would not show whether search works correctly.
    if (first?.entity[name] === source[name]) matching.push({ path, json, first: first.entity });
  }
  return matching;
}

/** The words of a text, or of a transcript's sentences. */
const wordsOf = (value: unknown): string[] => {
  const text =
    typeof value === 'string'
      ? value
      : JSON.stringify(value ?? '')
          .match(/"text":"[^"]*/g)
          ?.join(' ');
  return [...(text ?? '').replaceAll('"text":', '').matchAll(/\p{L}{3,}/gu)].map(([word]) => word);
};
