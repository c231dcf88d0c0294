import { connector, type Manifest } from 'agent-connectors';
import { createService } from 'agent-connectors-service';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../cli/session.js';
import { connectorPath, execute, startTestService } from '../service/http/setup.js';
import { startReplicatingService, syncAndWait } from '../service/replication/setup.js';
import { formWith } from '../service/setup/browser.js';
import { startSetup } from '../service/setup/start.js';
import { LarderConnector } from './connectors/larder/index.js';
import { key, larder, watched } from './vendor.js';

const credentials = { api_key: key };

describe('a service with an external connector', () => {
  test('validates its replication settings and recognizes its alias', async () => {
    const { tenant } = await startTestService({ connectors: [LarderConnector], fetch: larder().fetch });
    const { ask, connect } = await tenant();
    const create = (replication_config?: object) =>
      ask('POST', '/api/v1/integrations/connectors', {
        json: { workspace_name: 'main', connector_type: 'Pantry', replication_config },
      });
    const fields = async (config?: object) => {
      const { status, body } = await create(config);
      return [status, body.errors?.map(({ message }: any) => message)];
    };
    expect(await fields({})).toEqual([422, ['replication_config.shelf_ids is required (array)']]);
    expect(await fields({ shelf_ids: ['top'] })).toEqual([
      422,
      ['replication_config.shelf_ids.0 must be the number of a shelf'],
    ]);
    expect(await fields({ shelf_ids: ['1'], shelf: '1' })).toMatchObject([
      422,
      [expect.stringMatching(/^replication_config.shelf is unknown. .*shelf_ids/)],
    ]);
    const id = await connect('pantry', credentials, { replication_config: { shelf_ids: ['1'] } });
    expect((await ask('GET', connectorPath(id))).body).toMatchObject({
      connector_type: 'larder',
      replication_config: { shelf_ids: ['1'] },
    });
  });

  test.each([
    ['an alias that names a built-in type', { aliases: ['Linear'] }, "'linear' and 'larder' share 'linear'"],
    ['the title of a built-in type', { title: 'Google Drive' }, "'google-drive' and 'larder' share 'googledrive'"],
    [
      'the id of a built-in type',
      { definitionId: '1c5d8316-ed42-4473-8fbc-2626f03f070c' },
      "'linear' and 'larder' share '1c5d8316-ed42-4473-8fbc-2626f03f070c'",
    ],
  ])("does not start with %s, which would receive the other vendor's credentials", async (_, changes, message) => {
    const Impostor = connector({ ...(LarderConnector.manifest as Manifest), ...changes });
    await expect(startTestService({ connectors: [Impostor] })).rejects.toThrow(message);
  });

  test('checks it with its probe', async () => {
    const { fetch, requests } = watched();
    const { tenant } = await startTestService({ connectors: { larder: async () => LarderConnector }, fetch });
    const { ask, connect } = await tenant();
    const id = await connect('larder', credentials, { replication_config: { shelf_ids: ['1'] } });
    const { body } = await ask('POST', connectorPath(id, '/check'), { json: {} });
    expect(body).toMatchObject({ status: 'succeeded', entity_check_results: [{ entity: 'jars' }] });
    expect(requests).toEqual(['/v1/jars?size=1']);
  });

  test('shows its choices on the setup page, and stores the selected ones', async () => {
    const setup = await startSetup({ connectors: [LarderConnector], fetch: larder().fetch });
    const { setup: begun, browser, page } = await setup.beginAndOpen('larder');
    expect(page.text).toContain('On the inside of the door.');
    const picks = await browser.submit(formWith(page, /name="api_key"/), credentials);
    expect(picks.text).toContain('Shelves to search');
    expect(picks.text).toContain('Pickles (shelf 2)');
    expect(picks.text).toContain('Numbers of shelves, with commas between them.');
    const none = await browser.submit(formWith(picks, /value="picks"/), { shelf_ids: [] });
    expect([none.status, none.text]).toEqual([422, expect.stringContaining('Tick or type at least one shelf.')]);
    await browser.submit(formWith(none, /value="picks"/), { shelf_ids: ['2'], 'shelf_ids-typed': '3' });
    const { connector_id } = await setup.status(begun.id);
    const { body } = await setup.acme.ask('GET', connectorPath(connector_id));
    expect(body.replication_config).toEqual({ shelf_ids: ['2', '3'] });
  });

  test('replicates and searches it', async () => {
    const { acme } = await startReplicatingService({ connectors: [LarderConnector], fetch: larder().fetch });
    const config = { replication_config: { shelf_ids: ['1', '3'] } };
    const id = await acme.connect('larder', credentials, config);
    expect((await syncAndWait(acme, id)).status).toBe('done');
    const search = (params: object) => execute(acme, id, 'jars', 'context_store_search', params);
    const { body } = await search({ query: { filter: { like: { label: 'Jam%' } }, sort: [{ id: 'asc' }] } });
    expect(body.result.data.map(({ id: jar }: any) => jar)).toEqual(['jar_1', 'jar_3', 'jar_4', 'jar_6', 'jar_7']);
    const meant = await search({ semantic: { prompt: 'jam of 2021' } });
    expect(meant.body.result.data[0].entity).toEqual({ id: 'jar_3', label: 'Jam of 2021' });
  });
});

test('two services in one process have separate connectors', async () => {
  const [with_, without] = [await startTestService({ connectors: [LarderConnector] }), await startTestService()];
  const asked = {
    json: { workspace_name: 'main', connector_type: 'larder', replication_config: { shelf_ids: ['1'] } },
  };
  const statuses = [];
  for (const running of [with_, without]) {
    const { ask } = await running.tenant();
    statuses.push((await ask('POST', '/api/v1/integrations/connectors', asked)).status);
  }
  expect(statuses).toEqual([200, 422]);
});

test("a service started without a type's module says so, and keeps its connectors", async () => {
  const folder = tempFolder();
  const options = { dataFolder: folder, createKey: true, dev: false, fetch: larder().fetch };
  const first = await startTestService({ ...options, connectors: [LarderConnector] });
  const { connect, clientId, clientSecret } = await first.tenant();
  const id = await connect('larder', credentials, { replication_config: { shelf_ids: ['1'] } });
  await first.service.close();
  const second = await startTestService(options);
  const asClient = { json: { client_id: clientId, client_secret: clientSecret } };
  const { body } = await second.ask('POST', '/api/v1/account/applications/token', asClient);
  const headers = { authorization: `Bearer ${body.access_token}` };
  for (const part of ['/execute', '/sync', '/check']) {
    const json = part === '/execute' ? { entity: 'jars', action: 'list' } : {};
    const answer = await second.ask('POST', connectorPath(id, part), { json, headers });
    expect([part, answer.status, answer.body.message]).toEqual([
      part,
      409,
      "The service has not loaded the connector type 'larder'.",
    ]);
  }
  expect((await second.ask('GET', connectorPath(id), { headers })).status).toBe(200);
});

test.each([
  ['two classes with the same name', [LarderConnector, LarderConnector], "two classes named 'larder'"],
  ['a class instead of a function', { larder: LarderConnector }, "'larder', a class"],
  ['a function that does not return a class', { larder: async () => ({}) }, 'does not return a connector class'],
  ['a path', './connectors.js', 'must be connector classes, or a registry'],
])('rejects %s passed as connectors, with the reason', async (_, connectors, message) => {
  await expect(createService({ dev: true, connectors: connectors as never })).rejects.toThrow(message);
});

test('a built-in type is not replaced', async () => {
  const given = createService({ dev: true, connectors: { linear: async () => LarderConnector } });
  await expect(given).rejects.toThrow("connectors contains 'linear', which is a built-in type");
});
