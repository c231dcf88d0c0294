import { LinearConnector } from 'agent-connectors/linear';
import { skillDocs } from 'agent-connectors/tools';
import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { connectorPath, startTestService } from './setup.js';

const path = '/api/v1/skills/docs';

test("the documentation matches the library's, in full and by section", async () => {
  const { ask, connect } = await (await startTestService()).tenant();
  const docs = await skillDocs(new LinearConnector({}));
  const id = await connect('linear');
  const inspected = await ask('GET', connectorPath(id, '/inspect'));
  expect(inspected.body.docs_skill_id).toBe(docs.id);

  const whole = await ask('GET', `${path}?id=${docs.id}`);
  expect(whole.body).toEqual({
    metadata: { id: docs.id, title: docs.title, version: docs.version, hash: docs.hash },
    outline: docs.outline,
    section_id: null,
    content: docs.overview,
  });
  for (const { id: section } of docs.outline) {
    const { body } = await ask('GET', `${path}?id=${id}&section=${section}`);
    expect([body.section_id, body.content]).toEqual([section, docs.section(section).text]);
  }
});

test('an unknown section or id is reported along with the available ones', async () => {
  const tenants = await startTestService();
  const { ask } = await tenants.tenant();
  const foreign = await (await tenants.tenant('other')).connect('granola');
  const wrong = await ask('GET', `${path}?id=linear&section=actions.isues.list`);
  expect([wrong.status, wrong.body.code]).toEqual([404, 'not_found']);
  expect(wrong.body.message).toContain('actions.issues.list');
  for (const id of ['nothing-connector-docs', 'con_none', foreign]) {
    expect((await ask('GET', `${path}?id=${id}`)).status, id).toBe(404);
  }
  expect((await ask('GET', path)).status).toBe(422);
});

test('deleting a connector revokes its tokens at the vendor', async () => {
  const { sandbox, tenant } = await startTestService();
  const { ask, connect } = await tenant();
  const { oauth } = sandbox.vendors['google-drive'].credentials;
  const id = await connect('google-drive', oauth);
  expect((await ask('DELETE', connectorPath(id))).status).toBe(200);
  expect(sandbox.requests.map(({ path: asked }) => asked)).toEqual(['/revoke']);
  expect(JSON.stringify(sandbox.requests)).not.toContain(oauth.refresh_token);
});

test('an unreachable vendor does not prevent the deletion of a connector', async () => {
  const { sandbox, tenant } = await startTestService();
  const { ask, connect } = await tenant();
  const id = await connect('linear', createSandbox().vendors.linear.credentials.oauth);
  sandbox.faults.add({ kind: 'reset_before', count: 9 });
  expect((await ask('DELETE', connectorPath(id))).status).toBe(200);
  expect((await ask('GET', connectorPath(id))).status).toBe(404);
});
