import { expect, test } from 'vitest';
import { createRequester, startTestService } from './setup.js';

/** The headers sent by clients of the hosted API. */
const marks = { 'X-ADP-Agent-SDK': 'any-sdk', 'User-Agent': 'any-agent/1.0', Accept: '*/*' };

test('an existing API client can use its secret to read records', async () => {
  const { service, sandbox, tenant } = await startTestService();
  const { clientId, clientSecret, organizationId } = await tenant();
  const ask = createRequester(service, marks);

  const application = await ask('POST', '/api/v1/account/applications/token', {
    json: { client_id: clientId, client_secret: clientSecret },
  });
  expect(application.body).toMatchObject({ token_type: 'bearer', expires_in: 900, organization_id: organizationId });

  const bearer = { ...marks, authorization: `Bearer ${application.body.access_token}` };
  const scoped = await createRequester(service, bearer)('POST', '/api/v1/account/applications/scoped-token', {
    json: { workspace_name: 'new-customer', scopes: ['read', 'write', 'manage'] },
  });
  const customer = createRequester(service, {
    ...marks,
    Authorization: `Bearer ${scoped.body.token}`,
    'x-organization-id': organizationId,
  });

  const made = await customer('POST', '/api/v1/integrations/connectors', {
    json: {
      workspace_name: 'new-customer',
      definition_id: '1c5d8316-ed42-4473-8fbc-2626f03f070c',
      name: 'tickets',
      credentials: sandbox.vendors.linear.credentials.api_key,
    },
  });
  expect(made.status).toBe(200);
  const analytics = await customer('POST', '/api/v1/integrations/connectors', {
    json: {
      workspace_name: 'new-customer',
      connector_type: 'Google-Analytics-Data-Api',
      credentials: { client_id: 'a', client_secret: 'b', refresh_token: 'c' },
      replication_config: { property_ids: '["123456789"]' },
    },
  });
  expect(analytics.status).toBe(200);

  const listed = await customer(
    'GET',
    '/api/v1/integrations/connectors?workspace_name=new-customer&definition_id=1c5d8316-ed42-4473-8fbc-2626f03f070c',
  );
  expect(listed.body.data).toMatchObject([{ id: made.body.id, name: 'tickets' }]);
  const path = `/api/v1/integrations/connectors/${made.body.id}`;
  expect((await customer('GET', path)).body.id).toBe(made.body.id);

  const list = await customer('POST', `${path}/execute`, {
    json: {
      entity: 'issues',
      action: 'list',
      params: { first: 2 },
      select_fields: ['id', 'title'],
      skip_truncation: false,
      intent: 'Find what is open.',
    },
  });
  expect(Object.keys(list.body)).toEqual(['status', 'result', 'connector_metadata', 'execution_metadata']);
  expect(list.body.result).toHaveLength(2);
  expect(Object.keys(list.body.result[0])).toEqual(['id', 'title']);
  const { id } = list.body.result[0];
  const got = await customer('POST', `${path}/execute`, { json: { entity: 'issues', action: 'get', params: { id } } });
  expect(got.body.result.id).toBe(id);
  const searched = await customer('POST', `${path}/execute`, {
    json: {
      entity: 'issues',
      action: 'context_store_search',
      params: {
        query: { filter: { like: { title: '%x%' } }, sort: [{ updatedAt: 'desc' }] },
        limit: 20,
        fields: ['id'],
      },
    },
  });
  expect(searched.body.result).toMatchObject({
    data: [],
    meta: { has_more: false, cursor: null, took_ms: expect.any(Number) },
  });

  expect((await customer('POST', `${path}/check`)).body).toMatchObject({ id: made.body.id, status: 'succeeded' });
  const inspected = await customer('GET', `${path}/inspect`);
  expect(inspected.body).toMatchObject({ connector_id: made.body.id, organization_id: organizationId });
  expect(inspected.body.docs_skill_id).toEqual(expect.any(String));
  expect((await customer('PUT', path, { json: { name: 'renamed', replication_config: {} } })).body.name).toBe(
    'renamed',
  );
  expect((await customer('DELETE', path)).status).toBe(200);
});

test('an error has the fields that an existing API client reads', async () => {
  const { tenant } = await startTestService();
  const { ask } = await tenant();
  const refused = await ask('POST', '/api/v1/integrations/connectors', { json: { workspace_name: 'main' } });
  expect(refused.status).toBe(422);
  expect(refused.body.message).toEqual(expect.any(String));
  expect(refused.body.errors[0]).toEqual({
    field: expect.any(String),
    message: expect.any(String),
    error_code: expect.any(String),
    details: null,
  });
});

test('a download is returned as bytes without an envelope to a client that accepts any content type', async () => {
  const { tenant, sandbox } = await startTestService();
  const acme = await tenant();
  const id = await acme.connect('Google Drive', sandbox.vendors['google-drive'].credentials.oauth);
  const path = `/api/v1/integrations/connectors/${id}/execute`;
  const params = { name: 'a.bin', file_content: Buffer.from([0, 255, 1]).toString('base64') };
  const made = await acme.ask('POST', path, { json: { entity: 'files_upload', action: 'create', params } });
  const body = JSON.stringify({ entity: 'files', action: 'download', params: { fileId: made.body.result.id } });
  const headers = { ...marks, authorization: `Bearer ${acme.token}`, 'content-type': 'application/json' };
  const answered = await acme.ask('POST', path, { raw: body, headers });
  expect([answered.status, answered.headers.get('content-length')]).toEqual([200, '3']);
  expect(answered.headers.get('content-disposition')).toMatch(/^attachment/);
});
