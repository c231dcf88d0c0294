import { beforeEach, describe, expect, test } from 'vitest';
import { skipBackoff } from '../../../sandbox/src/testing/time.js';
import { execute } from '../http/setup.js';
import { newFolder } from '../state/fixtures.js';
import { Browser, formWith } from './browser.js';
import { startSetup } from './start.js';

const graphql = { vendor: 'linear', path: '/graphql', kind: '500', count: Number.POSITIVE_INFINITY } as const;

describe('a single-use refresh token', () => {
  beforeEach(skipBackoff);

  test('is not lost if the subsequent check fails', async () => {
    const running = await startSetup();
    const { sandbox } = running;
    const { setup, browser, page } = await running.beginAndOpen('gong');
    const { client_id, client_secret, refresh_token } = sandbox.vendors.gong.credentials.oauth;
    const typed = { client_id, client_secret, refresh_token };
    sandbox.faults.add({ vendor: 'gong', path: '/v2', kind: '500', count: Number.POSITIVE_INFINITY });
    const failed = await browser.submit(formWith(page, /refresh_token/), typed);
    expect(failed.status).toBe(422);
    expect(failed.text).toContain('the new one is stored');
    const form = formWith(failed, /name="refresh_token"/);
    expect(form.html).toContain('leave empty to use it again');
    expect(form.html).not.toContain(client_secret);
    expect(form.fields.get('client_id')).toBe(client_id);
    sandbox.faults.clear();
    const picks = await browser.submit(form);
    expect([picks.status, picks.heading]).toEqual([200, 'Choose what to sync from Gong']);
    await browser.submit(formWith(picks, /entities/));
    const { connector_id } = await running.status(setup.id);
    expect((await execute(running.acme, connector_id, 'users', 'list')).status).toBe(200);
    expect(browser.seen.join('\n')).not.toContain(refresh_token);
  });

  test('can be entered again, or replaced by another one', async () => {
    const { sandbox, beginAndOpen } = await startSetup();
    const { browser, page } = await beginAndOpen('linear');
    const { client_id, client_secret, refresh_token } = sandbox.vendors.linear.credentials.oauth;
    const typed = { client_id, client_secret, refresh_token };
    sandbox.faults.add(graphql);
    const failed = await browser.submit(formWith(page, /name="refresh_token"/), typed);
    expect(failed.text).toContain('the new one is stored');
    sandbox.faults.clear();
    const other = await browser.submit(formWith(failed, /name="refresh_token"/), { ...typed, refresh_token: 'other' });
    expect([other.status, other.text]).toEqual([422, expect.stringContaining('refresh')]);
    const again = await browser.submit(formWith(failed, /name="refresh_token"/), typed);
    expect(again.heading).toBe('Choose what to sync from Linear');
  });

  test('survives a restart of the service', async () => {
    const dataFolder = newFolder();
    const first = await startSetup({ dataFolder, dev: false, createKey: true });
    const { sandbox } = first;
    const { setup, browser, page } = await first.beginAndOpen('linear');
    const { client_id, client_secret, refresh_token } = sandbox.vendors.linear.credentials.oauth;
    sandbox.faults.add(graphql);
    await browser.submit(formWith(page, /name="refresh_token"/), { client_id, client_secret, refresh_token });
    await first.server.close();
    sandbox.faults.clear();
    const second = await startSetup({ dataFolder, dev: false, sandbox });
    const url = second.server.url + new URL(setup.url).pathname;
    const reopened = await second.browser().open(url);
    expect(reopened.text).toContain('leave empty to use it again');
    const picks = await second.browser().submit(formWith(reopened, /name="refresh_token"/), { client_id });
    expect(picks.heading).toBe('Choose what to sync from Linear');
  });
});

test('a consent flow started before a restart can be completed after it', async () => {
  const options = { dataFolder: newFolder(), dev: false, publicUrl: 'https://connect.example.com' } as const;
  const first = await startSetup({ ...options, createKey: true });
  const { sandbox } = first;
  let { url: at } = first.server;
  const browser = new Browser((input, init) => {
    const url = new URL(String(input));
    return url.origin === options.publicUrl ? fetch(at + url.pathname + url.search, init) : sandbox.fetch(input, init);
  });
  const begun = await first.begin('linear');
  const { client_id, client_secret } = sandbox.vendors.linear.credentials.oauth;
  const form = formWith(await browser.open(begun.url), /value="authorize"/);
  const consent = await browser.submit(form, { client_id, client_secret });
  await first.server.close();
  at = (await startSetup({ ...options, sandbox })).server.url;
  const picks = await browser.submit(consent.forms[0]!, {}, /^Allow/);
  expect([picks.url, picks.heading]).toEqual([begun.url, 'Choose what to sync from Linear']);
});

describe('a form submitted twice', () => {
  test('with credentials is processed only once', async () => {
    const { sandbox, beginAndOpen } = await startSetup();
    const { browser, page } = await beginAndOpen('gong');
    const { client_id, client_secret, refresh_token } = sandbox.vendors.gong.credentials.oauth;
    const form = formWith(page, /refresh_token/);
    const submit = () => browser.submit(form, { client_id, client_secret, refresh_token });
    const pages = await Promise.all([submit(), submit()]);
    expect(pages.map(({ heading }) => heading)).toEqual([
      'Choose what to sync from Gong',
      'Choose what to sync from Gong',
    ]);
    const exchanges = sandbox.requests.filter(({ path }) => path.includes('generate-customer-token'));
    expect(exchanges).toHaveLength(1);
  });

  test('with choices creates only one connector', async () => {
    const { sandbox, acme, beginAndOpen, status } = await startSetup();
    const { setup, browser, page } = await beginAndOpen('linear');
    const { api_key } = sandbox.vendors.linear.credentials.api_key;
    const picks = await browser.submit(formWith(page, /name="api_key"/), { api_key });
    const form = formWith(picks, /value="picks"/);
    const pages = await Promise.all([browser.submit(form), browser.submit(form)]);
    expect(pages.map(({ status, heading }) => [status, heading]).sort()).toEqual([
      [200, 'Linear is connected'],
      [410, 'Setup is already complete'],
    ]);
    expect((await status(setup.id)).status).toBe('done');
    expect((await acme.ask('GET', '/api/v1/integrations/connectors')).body.data).toHaveLength(1);
  });
});
