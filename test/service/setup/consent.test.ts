import { describe, expect, test } from 'vitest';
import { execute } from '../http/setup.js';
import { type Browser, formWith, type Page } from './browser.js';
import { type SetupTest, startSetup } from './start.js';

const calls: Readonly<Record<string, readonly [string, string, object]>> = {
  linear: ['users', 'list', { first: 1 }],
  gong: ['users', 'list', {}],
  'google-drive': ['about', 'get', { fields: 'user' }],
  'google-analytics': ['daily_active_users', 'list', { property_id: '320200001' }],
};
const types = ['linear', 'gong', 'google-drive', 'google-analytics'] as const;
type Type = (typeof types)[number];

const applicationOf = ({ sandbox }: SetupTest, type: Type) => {
  const { client_id, client_secret } = sandbox.vendors[type].credentials.oauth;
  return { client_id, client_secret };
};

/** Continues to the vendor's consent page. */
const asked = (browser: Browser, page: Page, application: Record<string, string>): Promise<Page> =>
  browser.submit(formWith(page, /value="authorize"/), application);

/** Submits the remaining form with its default values. */
const finished = (browser: Browser, picks: Page, type: Type): Promise<Page> =>
  browser.submit(formWith(picks, /value="picks"/), type === 'google-analytics' ? { property_ids: ['320200001'] } : {});

describe.each(types)('a user on the consent page of %s', (type) => {
  test('allows access and gets a working connector', async () => {
    const running = await startSetup();
    const { acme, beginAndOpen, status, server } = running;
    const { setup, browser, page } = await beginAndOpen(type);
    expect(page.html).toContain(`<code>${server.url}/setup/callback</code>`);
    const consent = await asked(browser, page, applicationOf(running, type));
    expect(consent.heading).toMatch(/\(sandbox\)$/);
    const query = new URL(consent.url).searchParams;
    expect(query.get('redirect_uri')).toBe(`${server.url}/setup/callback`);
    expect(query.get('code_challenge_method')).toBe('S256');
    expect(query.get('state')).toMatch(/^[\w-]{43}$/);
    expect(consent.url).not.toContain(applicationOf(running, type).client_secret);
    const picks = await browser.submit(consent.forms[0]!, {}, /^Allow/);
    expect([picks.url, picks.status]).toEqual([setup.url, 200]);
    expect(picks.heading).toMatch(/^Choose what to sync/);
    const done = await finished(browser, picks, type);
    expect(done.heading).toMatch(/is connected$/);
    const { connector_id } = await status(setup.id);
    const answered = await execute(acme, connector_id, ...(calls[type] as [string, string, object]));
    expect([answered.text, answered.status]).toEqual([expect.any(String), 200]);
  });

  test('denies access, is told so, and can start over', async () => {
    const running = await startSetup();
    const { setup, browser, page } = await running.beginAndOpen(type);
    const consent = await asked(browser, page, applicationOf(running, type));
    const denied = await browser.submit(consent.forms[0]!, {}, /Deny/);
    expect([denied.url, denied.text]).toEqual([setup.url, expect.stringContaining('Access was denied')]);
    const again = await asked(browser, denied, applicationOf(running, type));
    const picks = await browser.submit(again.forms[0]!, {}, /^Allow/);
    expect(picks.heading).toMatch(/^Choose what to sync/);
  });
});

describe('an OAuth application', () => {
  test('configured by the operator is used without asking the user for one', async () => {
    const { oauth } = (await startSetup()).sandbox.vendors.linear.credentials;
    const running = await startSetup({
      oauthClients: { linear: { clientId: oauth.client_id, clientSecret: oauth.client_secret } },
    });
    const { setup, browser, page } = await running.beginAndOpen('linear');
    const form = page.forms[0]!;
    expect([...form.buttons.keys()]).toEqual(['Sign in with Linear']);
    expect(form.html).not.toContain('type="text"');
    expect(page.html).not.toContain(oauth.client_secret);
    const consent = await browser.submit(form);
    const picks = await browser.submit(consent.forms[0]!, {}, /^Allow/);
    await finished(browser, picks, 'linear');
    expect((await running.status(setup.id)).status).toBe('done');
    expect(browser.seen.join('\n')).not.toContain(oauth.client_secret);
  });

  test('with an incorrect secret is reported as such, without quoting the secret', async () => {
    const running = await startSetup();
    const { browser, page } = await running.beginAndOpen('linear');
    const { client_id } = applicationOf(running, 'linear');
    const consent = await asked(browser, page, { client_id, client_secret: 'wrong-secret-0123456789' });
    const back = await browser.submit(consent.forms[0]!, {}, /^Allow/);
    expect([back.heading, back.text]).toEqual(['Connect Linear', expect.stringContaining('rejected the code')]);
    expect(browser.seen.join('\n')).not.toContain('wrong-secret-0123456789');
  });

  test("redirects to the operator's public URL, regardless of the request's host", async () => {
    const running = await startSetup({ publicUrl: 'https://connect.example.com/hub/' });
    const begun = await running.begin('linear');
    expect(begun.url).toMatch(/^https:\/\/connect\.example\.com\/hub\/setup\/[\w-]{43}$/);
    const path = new URL(begun.url).pathname.replace('/hub', '');
    const body = new URLSearchParams({ step: 'authorize', mode: 'oauth', kind: 'application' });
    for (const [name, value] of Object.entries(applicationOf(running, 'linear'))) body.set(name, value);
    const sent = await fetch(running.server.url + path, {
      method: 'POST',
      body,
      headers: { origin: 'https://connect.example.com', 'x-forwarded-host': 'evil.example' },
    });
    expect(sent.headers.get('set-cookie')).toMatch(
      /^__Host-set_\w{22}=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    );
    const html = await sent.text();
    expect(html).toContain(encodeURIComponent('https://connect.example.com/hub/setup/callback'));
    expect(html).not.toContain('evil.example');
  });
});
