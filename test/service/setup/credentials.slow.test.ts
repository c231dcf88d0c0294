import { describe, expect, test } from 'vitest';
import { execute } from '../http/setup.js';
import { formWith } from './browser.js';
import { startSetup } from './start.js';

describe('a user connects an account with credentials', () => {
  test('for Linear, and gets a working connector', async () => {
    const { sandbox, acme, beginAndOpen, status } = await startSetup();
    const { setup, browser, page } = await beginAndOpen('linear');
    expect([page.status, page.heading]).toEqual([200, 'Connect Linear']);
    expect(page.text).toContain('connector mine in the workspace main of Acme');
    expect(page.text).toContain('Settings > Account > Security & access');
    expect(await status(setup.id)).toEqual({ status: 'pending' });
    const { api_key } = sandbox.vendors.linear.credentials.api_key;
    const picks = await browser.submit(formWith(page, /name="api_key"/), { api_key });
    expect([picks.status, picks.heading]).toEqual([200, 'Choose what to sync from Linear']);
    expect(picks.text).toMatch(/Connected as \S+@fernhill\.example/);
    expect(picks.text).not.toContain('Cannot be read now');
    const done = await browser.submit(formWith(picks, /name="entities"/));
    expect([done.status, done.heading]).toEqual([200, 'Linear is connected']);
    const after = await status(setup.id);
    expect(after).toEqual({ status: 'done', connector_id: expect.stringMatching(/^con_/) });
    expect((await execute(acme, after.connector_id, 'teams', 'list', { first: 1 })).status).toBe(200);
    const { body } = await acme.ask('GET', `/api/v1/integrations/connectors/${after.connector_id}`);
    expect(body).toMatchObject({ name: 'mine', connector_type: 'linear', replication_config: null });
  });

  test('for Granola, with a subset of the records and a different interval', async () => {
    const { sandbox, acme, beginAndOpen, status } = await startSetup();
    const { setup, browser, page } = await beginAndOpen('granola');
    const { api_key } = sandbox.vendors.granola.credentials.api_key;
    const picks = await browser.submit(formWith(page, /api_key/), { api_key });
    expect(picks.text).toContain('The key works; Granola does not report its owner.');
    const none = await browser.submit(formWith(picks, /entities/), { entities: [] });
    expect([none.status, none.text]).toEqual([422, expect.stringContaining('Select at least one type of record.')]);
    expect(none.html).toContain('href="#entities"');
    await browser.submit(formWith(none, /entities/), { entities: ['notes'], interval: '6h' });
    const { connector_id } = await status(setup.id);
    const { body } = await acme.ask('GET', `/api/v1/integrations/connectors/${connector_id}`);
    expect(body.replication_config).toMatchObject({ interval: '6h' });
    expect((await execute(acme, connector_id, 'notes', 'list')).status).toBe(200);
  });

  test('for Google Analytics with a service account, and picks a property from the list', async () => {
    const { sandbox, acme, beginAndOpen, status } = await startSetup();
    const { setup, browser, page } = await beginAndOpen('google-analytics');
    const { credentials_json } = sandbox.vendors['google-analytics'].credentials.service_account;
    const picks = await browser.submit(formWith(page, /credentials_json/), { credentials_json });
    expect(picks.text).toContain('Connected. Account: Fernhill');
    expect(picks.forms[0]!.html).toContain('value="320200002"');
    const without = await browser.submit(formWith(picks, /property_ids/));
    expect([without.status, without.text]).toEqual([422, expect.stringContaining('at least one property')]);
    const form = formWith(without, /property_ids/);
    const foreign = await browser.submit(form, { 'property_ids-typed': '999999' });
    expect([foreign.status, foreign.html]).toEqual([422, expect.stringContaining('id="property_ids-fault"')]);
    const date = await browser.submit(form, { property_ids: '320200002', 'start_date-typed': '2026-02-31' });
    expect([date.status, date.html]).toEqual([422, expect.stringContaining('id="start_date-fault"')]);
    const done = await browser.submit(formWith(date, /property_ids/), {
      property_ids: ['320200002'],
      'start_date-typed': '2026-01-31',
    });
    expect(done.heading).toBe('Google Analytics is connected');
    const { connector_id } = await status(setup.id);
    const { body } = await acme.ask('GET', `/api/v1/integrations/connectors/${connector_id}`);
    expect(body.replication_config).toEqual({ property_ids: ['320200002'], start_date: '2026-01-31' });
    const report = await execute(acme, connector_id, 'daily_active_users', 'list', { property_id: '320200002' });
    expect(report.status).toBe(200);
  });

  test('and chooses the type first if the program has not specified one', async () => {
    const { sandbox, beginAndOpen, status } = await startSetup();
    const { setup, browser, page } = await beginAndOpen();
    expect(page.heading).toBe('What would you like to connect?');
    const gong = await browser.submit(page.forms[0]!, {}, /^Gong /);
    expect(gong.heading).toBe('Connect Gong');
    const back = await browser.submit(formWith(gong, /Choose a different service/));
    expect(back.heading).toBe('What would you like to connect?');
    const again = await browser.submit(back.forms[0]!, {}, /^Gong /);
    const { access_key, access_key_secret } = sandbox.vendors.gong.credentials.basic;
    const picks = await browser.submit(formWith(again, /access_key/), { access_key, access_key_secret });
    await browser.submit(formWith(picks, /entities/), { settings: ['includePrivate'] });
    expect((await status(setup.id)).status).toBe('done');
  });
});

describe('problems in a setup', () => {
  test('an invalid key is explained, and the user can try again', async () => {
    const { sandbox, beginAndOpen, status } = await startSetup();
    const { setup, browser, page } = await beginAndOpen('linear');
    const wrong = await browser.submit(formWith(page, /name="api_key"/), { api_key: 'lin_api_wrong_0123456789' });
    expect([wrong.status, wrong.heading]).toEqual([422, 'Connect Linear']);
    expect(wrong.html).toMatch(/role="alert"[\s\S]*href="#fields-api-key-api-key"/);
    expect(wrong.html).toMatch(
      /id="fields-api-key-api-key"[^>]*aria-describedby="[^"]*-fault"[^>]*aria-invalid="true"/,
    );
    expect(wrong.html).not.toContain('lin_api_wrong_0123456789');
    expect(wrong.text).toContain('Check your API key');
    expect(wrong.text).toContain('Linear didn’t accept this key. Check that everything was copied in full');
    expect(wrong.html.split('class="fault"')).toHaveLength(2);
    expect(await status(setup.id)).toEqual({ status: 'pending' });
    const { api_key } = sandbox.vendors.linear.credentials.api_key;
    const picks = await browser.submit(formWith(wrong, /name="api_key"/), { api_key });
    expect(picks.heading).toBe('Choose what to sync from Linear');
    const other = await browser.submit(formWith(picks, /Use different credentials/));
    expect(other.heading).toBe('Connect Linear');
  });

  test('an empty field and a field with a line break are each reported next to the field, and nothing is sent', async () => {
    const { sandbox, beginAndOpen } = await startSetup();
    const { browser, page } = await beginAndOpen('gong');
    const form = formWith(page, /access_key_secret/);
    const empty = await browser.submit(form, { access_key: 'shown-again' });
    expect([empty.status, empty.text]).toEqual([422, expect.stringContaining('Access key secret is required.')]);
    expect(empty.html).toContain('value="shown-again"');
    const odd = await browser.submit(form, { access_key: 'a', access_key_secret: 'one\ntwo-secret' });
    expect([odd.status, odd.text]).toEqual([422, expect.stringContaining('contains a line break')]);
    expect(odd.html).not.toContain('two-secret');
    const foreign = await browser.submit(form, {
      access_key: 'a',
      access_key_secret: 'b',
      base_url: '169.254.169.254',
    });
    expect([foreign.status, foreign.text]).toEqual([422, expect.stringContaining('gong.io')]);
    expect(sandbox.requests).toHaveLength(0);
  });

  test('unreadable entities are listed with the reason, and excluded unless selected', async () => {
    const { sandbox, beginAndOpen } = await startSetup();
    const { browser, page } = await beginAndOpen('gong');
    const { limited } = sandbox.vendors.gong.credentials;
    const picks = await browser.submit(formWith(page, /refresh_token/), limited);
    expect(picks.text).toContain('did not report which account they belong to');
    expect(picks.text).toMatch(/Cannot currently be read: [^.]*scope/);
    const ticked = formWith(picks, /entities/).fields.getAll('entities');
    expect(ticked).toContain('users');
    expect(ticked).not.toContain('workspaces');
  });

  test('a vendor that is down is reported as such', async () => {
    const { sandbox, beginAndOpen } = await startSetup();
    sandbox.faults.add({ vendor: 'granola', kind: '500', count: Number.POSITIVE_INFINITY });
    const { browser, page } = await beginAndOpen('granola');
    const down = await browser.submit(formWith(page, /api_key/), sandbox.vendors.granola.credentials.api_key);
    expect([down.status, down.text]).toEqual([422, expect.stringContaining('try again in a moment')]);
  });

  test('the setup fails after 20 attempts, and its URL expires', async () => {
    const { beginAndOpen, status } = await startSetup();
    const { setup, browser, page } = await beginAndOpen('linear');
    const form = formWith(page, /name="api_key"/);
    for (let count = 0; count < 20; count++) {
      expect((await browser.submit(form, { api_key: 'x' })).status).toBe(422);
    }
    const last = await browser.submit(form, { api_key: 'x' });
    expect([last.status, last.heading]).toEqual([410, 'This setup has ended']);
    expect(await status(setup.id)).toEqual({ status: 'failed', error: 'Credentials were rejected 20 times.' });
  });
});
