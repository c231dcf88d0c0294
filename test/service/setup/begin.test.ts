import { describe, expect, test } from 'vitest';
import { formWith } from './browser.js';
import { requestSetup, startSetup } from './start.js';

const linearId = '1c5d8316-ed42-4473-8fbc-2626f03f070c';

describe('a program that starts a setup', () => {
  test('can select the type by its id', async () => {
    const running = await startSetup();
    const { page } = await running.beginAndOpen(undefined, { definition_id: linearId });
    expect(page.heading).toBe('Connect Linear');
  });

  test('can preset choices, which the user sees and can change', async () => {
    const running = await startSetup();
    const { setup, browser, page } = await running.beginAndOpen('google-analytics', {
      replication_config: { property_ids: '320200002', interval: '6h', entities: ['daily_active_users'] },
    });
    const { credentials_json } = running.sandbox.vendors['google-analytics'].credentials.service_account;
    const first = await browser.submit(formWith(page, /credentials_json/), { credentials_json });
    const other = await browser.submit(formWith(first, /Use different credentials/));
    const picks = await browser.submit(formWith(other, /credentials_json/), { credentials_json });
    const { fields } = formWith(picks, /value="picks"/);
    expect(fields.getAll('property_ids')).toEqual(['320200002']);
    expect(fields.getAll('entities')).toEqual(['daily_active_users']);
    await browser.submit(formWith(picks, /value="picks"/), { 'start_date-typed': '2026-01-31' });
    const { connector_id } = await running.status(setup.id);
    const { body } = await running.acme.ask('GET', `/api/v1/integrations/connectors/${connector_id}`);
    expect(body.replication_config).toEqual({
      property_ids: ['320200002'],
      interval: '6h',
      entities: ['daily_active_users'],
      start_date: '2026-01-31',
    });
  });

  test('can leave required choices to the user', async () => {
    const running = await startSetup();
    const { page } = await running.beginAndOpen('google-analytics', { replication_config: { interval: '6h' } });
    expect(page.heading).toBe('Connect Google Analytics');
  });

  test('can choose settings', async () => {
    const running = await startSetup();
    const { setup, browser, page } = await running.beginAndOpen('gong', { settings: { includePrivate: true } });
    const { access_key, access_key_secret } = running.sandbox.vendors.gong.credentials.basic;
    const picks = await browser.submit(formWith(page, /access_key/), { access_key, access_key_secret });
    await browser.submit(formWith(picks, /entities/));
    const { connector_id } = await running.status(setup.id);
    const { body } = await running.acme.ask('GET', `/api/v1/integrations/connectors/${connector_id}`);
    expect(body.settings).toEqual({ includePrivate: true });
  });

  test.each<[object, string]>([
    [{ connector_type: 'linear', definition_id: linearId }, ''],
    [{ definition_id: '00000000-0000-4000-8000-000000000000' }, 'definition_id'],
    [{ replication_config: { interval: '6h' } }, 'connector_type'],
    [{ settings: { includePrivate: true } }, 'connector_type'],
    [{ connector_type: 'linear', settings: { includePrivate: true } }, 'settings.includePrivate'],
    [{ connector_type: 'linear', replication_config: { property_ids: '1' } }, 'replication_config.property_ids'],
    [
      { connector_type: 'google-analytics', replication_config: { property_ids: 'x' } },
      'replication_config.property_ids',
    ],
    [{ connector_type: 'linear', replication_config: { entities: ['isues'] } }, 'replication_config.entities'],
  ])('is told about invalid presets: %j', async (body, field) => {
    const running = await startSetup();
    const refused = await requestSetup(running.acme, body);
    expect(refused.status).toBe(422);
    expect(refused.body.errors.map((error: { field: string }) => error.field)).toEqual([field]);
  });
});
