import { expect, test } from 'vitest';
import { type Requester, startTestService, tenantOf } from '../service/http/setup.js';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
}

interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly open: boolean;
  readonly parameters: readonly Parameter[];
}

async function operationsOf(ask: Requester): Promise<Operation[]> {
  const { body } = await ask('GET', '/openapi.json');
  return Object.entries<Record<string, any>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security, parameters = [] }]) => ({
      operationId,
      path,
      parameters,
      method: method.toUpperCase(),
      open: security.length === 0,
    })),
  );
}

const namesOf = (operations: readonly Operation[], place: Parameter['in']): string[] =>
  [
    ...new Set(
      operations.flatMap(({ parameters }) => parameters.filter((one) => one.in === place).map(({ name }) => name)),
    ),
  ].sort();

/**
 * Path parameters that identify a tenant's resource; each is covered by the tests of all routes and the tests of
 * setups.
 */
const inPaths = ['id', 'name', 'setup_id', 'delivery_id'];
/** Query parameters that identify a tenant's resource. */
const inQueries: Readonly<Record<string, (theirs: { id: string; workspace: string }) => string>> = {
  connector_id: ({ id }) => id,
  workspace_name: ({ workspace }) => workspace,
};
/**
 * Parameters that identify no resource: sizes, times, list positions, types, documentation sections, and parts of
 * names.
 */
const harmless = [
  'connector_type',
  'count',
  'cursor',
  'definition_id',
  'entity',
  'from',
  'id',
  'limit',
  'name_contains',
  'outcome',
  'section',
  'status',
  'time_zone',
  'unit',
];

test("every route parameter that can name another tenant's resources is tested", async () => {
  const operations = await operationsOf((await startTestService()).ask);
  expect(namesOf(operations, 'path').filter((name) => !inPaths.includes(name))).toEqual([]);
  const known = [...Object.keys(inQueries), ...harmless];
  expect(namesOf(operations, 'query').filter((name) => !known.includes(name))).toEqual([]);
});

test('only the intended routes are accessible without a token', async () => {
  const open = (await operationsOf((await startTestService()).ask))
    .filter((one) => one.open)
    .map(({ operationId }) => operationId);
  expect(open.sort()).toEqual(['createToken', 'health', 'metrics', 'openApi', 'ready']);
});

test("a query for another tenant's resource finds nothing and reveals nothing about it", async () => {
  const { service, ask, sandbox } = await startTestService();
  const acme = await tenantOf(service, 'Acme');
  const other = await tenantOf(service, 'Other');
  await other.ask('POST', '/api/v1/workspaces', { json: { name: 'others-own' } });
  const credentials = sandbox.vendors.linear.credentials.api_key;
  const id = await other.connect('linear', credentials, { workspace_name: 'others-own', name: 'Others issues' });
  let tried = 0;
  for (const { path, method, open, parameters, operationId } of await operationsOf(ask)) {
    if (open || method !== 'GET' || path.includes('{')) continue;
    for (const { name, in: place } of parameters) {
      const theirs = place === 'query' ? inQueries[name]?.({ id, workspace: 'others-own' }) : undefined;
      if (theirs === undefined) continue;
      tried += 1;
      const { status, text, body } = await acme.ask('GET', `${path}?${name}=${encodeURIComponent(theirs)}`);
      expect([operationId, [200, 404].includes(status)]).toEqual([operationId, true]);
      if (status === 200) expect([operationId, body.data]).toEqual([operationId, []]);
      for (const told of ['Others issues', other.organizationId, other.clientId]) expect(text).not.toContain(told);
    }
  }
  expect(tried).toBeGreaterThan(0);
});
