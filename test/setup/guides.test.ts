import { type Manifest, connectors as types } from 'agent-connectors';
import { setupSource } from 'agent-connectors/setup';
import { createSandbox, type VendorName } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';

async function guide(type: VendorName, credentials: object) {
  const sandbox = createSandbox({ seed: 11 });
  const { manifest } = (await types[type]()) as unknown as { manifest: Manifest };
  const { setup } = await manifest.setup!();
  const source = setupSource(manifest, setup, { credentials: credentials as never, fetch: sandbox.fetch });
  return { setup, source, sandbox };
}

const { vendors } = createSandbox();

describe("a guide identifies the credentials' account", () => {
  it.each([
    ['linear', vendors.linear.credentials.api_key, /@fernhill\.example$/, /linear\.app/],
    ['google-drive', vendors['google-drive'].credentials.oauth, 'ines.carvalho@fernhill.example', 'Ines Carvalho'],
    ['google-analytics', vendors['google-analytics'].credentials.oauth, null, /Fernhill Software/],
    ['gong', vendors.gong.credentials.basic, null, /Visible workspaces/],
    ['granola', vendors.granola.credentials.api_key, null, /does not report/],
  ] as const)('for %s', async (type, credentials, name, detail) => {
    const { setup, source } = await guide(type, credentials);
    const identity = await setup.identify(source);
    if (name === null) expect(identity.name).toBeNull();
    else expect(identity.name).toMatch(name);
    expect(identity.detail).toMatch(detail);
  });

  it('or fails with an error code if they are rejected', async () => {
    const { setup, source } = await guide('linear', { api_key: 'lin_api_wrong' });
    await expect(setup.identify(source)).rejects.toMatchObject({ code: 'unauthorized' });
  });
});

describe('a guide lists the available choices', () => {
  it('of Analytics properties, limited to this account', async () => {
    const { oauth, one_property, no_access } = vendors['google-analytics'].credentials;
    const listed = async (credentials: object) => {
      const { setup, source } = await guide('google-analytics', credentials);
      return (await setup.choices!.property_ids!.list(source)).map(({ value }) => value);
    };
    expect(await listed(oauth)).toEqual(['320200001', '320200002', '320200003']);
    expect(await listed(one_property)).toEqual(['320200002']);
    expect(await listed(no_access)).toEqual([]);
  });

  it('of Analytics properties, and fails if Google repeats a page token', async () => {
    const { manifest } = (await types['google-analytics']()) as unknown as { manifest: Manifest };
    const { setup } = await manifest.setup!();
    let requests = 0;
    const fetch = async (input: RequestInfo | URL) => {
      if (String(input).includes('token')) return Response.json({ access_token: 'a', expires_in: 3600 });
      requests += 1;
      return Response.json({ accountSummaries: [], nextPageToken: 'same' });
    };
    const { oauth } = vendors['google-analytics'].credentials;
    const source = setupSource(manifest, setup, {
      credentials: oauth as never,
      fetch: fetch as typeof globalThis.fetch,
    });
    await expect(setup.choices!.property_ids!.list(source)).rejects.toMatchObject({ code: 'invalid_response' });
    expect(requests).toBe(2);
  });

  it('of Drive folders and shared drives, each with the URL that replication accepts', async () => {
    const { setup, source } = await guide('google-drive', vendors['google-drive'].credentials.oauth);
    const choices = await setup.choices!.folder_url!.list(source);
    const shared = await setup.choices!.shared_with_me!.list(source);
    expect(shared.map(({ value }) => value)).toEqual(['false', 'true']);
    expect(choices[0]).toEqual({ value: 'root', label: 'All of My Drive' });
    expect(choices.some(({ label }) => label === 'Shared drive: Engineering')).toBe(true);
    expect(
      choices.slice(1).every(({ value }) => /^https:\/\/drive\.google\.com\/drive\/folders\/[\w-]+$/.test(value)),
    ).toBe(true);
  });
});
