import { createSandbox, type Vendor } from 'agent-connectors-sandbox';
import { serve } from 'agent-connectors-sandbox/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { larderVendor } from '../../examples/larder/src/vendor.js';
import { listingOf } from '../../sandbox/src/listing.js';
import { loadVendors } from '../../sandbox/src/load-vendors.js';
import { noon } from './requester.js';

const fresh = () => createSandbox({ vendors: { larder: larderVendor }, now: () => noon });
const headers = { authorization: 'Bearer larder_sandbox_key' };
const address = 'https://api.larder.example/v1/jars';
const create = { method: 'POST', headers, body: JSON.stringify({ label: 'Fig' }) };

describe('an added vendor', () => {
  it('is served at its own URL, under its name, and alongside the built-in ones', async () => {
    const sandbox = fresh();
    expect(sandbox.vendors.larder.credentials.api_key).toEqual({ api_key: 'larder_sandbox_key' });
    expect(sandbox.vendors.linear.credentials.api_key.api_key).toBeTypeOf('string');
    const atOrigin = await sandbox.fetch(`${address}/jar_1`, { headers });
    const belowName = await sandbox.handle(new Request('http://localhost/larder/v1/jars/jar_1', { headers }));
    const bodies = [await atOrigin.json(), await belowName.json()];
    expect(bodies[0]).toMatchObject({ id: 'jar_1', label: 'Plum' });
    expect(bodies[1]).toEqual(bodies[0]);
    const other = await sandbox.handle(new Request('http://localhost/elsewhere'));
    expect((await other.json()).vendors).toContain('/larder');
    await expect(createSandbox().fetch(address, { headers })).rejects.toThrow('fetch failed');
  });

  it('is recorded in the request log and affected by faults', async () => {
    const sandbox = fresh();
    sandbox.faults.add({ vendor: 'larder', kind: '502' });
    await sandbox.fetch('https://public-api.granola.ai/v1/notes');
    for (let request = 0; request < 2; request += 1) await sandbox.fetch(`${address}?size=1`, { headers });
    const [granola, ...larder] = sandbox.requests;
    expect(granola).toMatchObject({ vendor: 'granola', status: 401 });
    expect(larder).toMatchObject([
      { vendor: 'larder', path: '/v1/jars', query: { size: '1' }, status: 502, fault: '502', credential: 'api_key' },
      { vendor: 'larder', status: 200, headers: { authorization: 'Bearer <api_key>' } },
    ]);
    sandbox.faults.add({ kind: 'reset_before' });
    await expect(sandbox.fetch(address, { headers })).rejects.toThrow('fetch failed');
  });

  it('is included in dump, load, reset and revoke', async () => {
    const sandbox = fresh();
    const before = sandbox.dump();
    await sandbox.fetch(address, create);
    const after = sandbox.dump();
    expect(after).not.toEqual(before);
    const other = fresh();
    other.load(JSON.parse(JSON.stringify(after)));
    expect(other.dump()).toEqual(after);
    sandbox.revoke('larder_sandbox_key');
    expect((await sandbox.fetch(address, { headers })).status).toBe(401);
    sandbox.reset();
    expect(sandbox.dump()).toEqual(before);
    expect(() => sandbox.load(createSandbox().dump())).toThrow("The state contains nothing for vendor 'larder'.");
  });

  it('is served and listed over HTTP', async () => {
    const server = await serve({ sandbox: fresh() });
    onTestFinished(() => server.close());
    const { larder } = listingOf(server).vendors;
    expect(larder).toEqual({
      url: `${server.url}/larder`,
      credentials: { api_key: { api_key: 'larder_sandbox_key' } },
    });
    expect((await fetch(`${larder!.url}/v1/jars`, { headers })).status).toBe(200);
    const limits = await fetch(`${server.url}/_sandbox/limits`, {
      method: 'PUT',
      body: '{"larder": {"perMinute": 1}}',
    });
    expect(await limits.json()).toMatchObject({ message: "Vendor 'larder' has no rate limits." });
  });
});

describe('a vendor is rejected', () => {
  const served = (...origins: unknown[]) => ({ ...larderVendor, origins }) as unknown as Vendor;

  it.each<[string, Record<string, unknown>, string]>([
    [
      'whose name is taken',
      { linear: larderVendor },
      "Vendor name 'linear' is taken by a built-in vendor. Use another",
    ],
    ['whose name is not a path', { _sandbox: larderVendor }, "Invalid vendor name '_sandbox'. Use lower-case letters"],
    ['that is a function', { larder: () => 1 }, "Vendor 'larder' must be an object with `origins`"],
    ['that is undefined', { larder: undefined }, "Vendor 'larder' must be an object with `origins`"],
    ['with an invalid URL', { larder: served('api.larder.example') }, 'Invalid origin "api.larder.example" of vendor'],
    [
      'with the URL https://API.larder.example',
      { larder: served('https://API.larder.example') },
      'Invalid origin "https://API.larder.example"',
    ],
    [
      'with the URL https://larder.example:443',
      { larder: served('https://larder.example:443') },
      'Invalid origin "https://larder.example:443"',
    ],
    [
      'with the URL https://*.*.example',
      { larder: served('https://*.*.example') },
      'Invalid origin "https://*.*.example"',
    ],
    [
      'with the URL https://larder.example/a b',
      { larder: served('https://larder.example/a b') },
      'Invalid origin "https://larder.example/a b"',
    ],
    ['with a slash at the end', { larder: served('https://a.example/') }, 'without a slash at the end'],
    [
      'whose URL is taken',
      { larder: served('https://api.linear.app/larder') },
      "Address https://api.linear.app/larder of vendor 'larder' is already served by vendor 'linear'.",
    ],
    [
      'whose URL another added vendor has',
      { larder: larderVendor, pantry: larderVendor },
      "Address https://api.larder.example of vendor 'pantry' is already served by vendor 'larder'.",
    ],
  ])('%s', (_, vendors, message) => {
    expect(() => createSandbox({ vendors: vendors as Record<string, Vendor> })).toThrow(message);
  });
});

describe('a vendor module', () => {
  const path = './examples/larder/src/vendor.ts';

  it('is loaded from its path', async () => {
    expect(Object.keys(await loadVendors([path]))).toEqual(['larder']);
    expect(await loadVendors([])).toEqual({});
  });

  it.each([
    [['./nowhere.js'], /^Cannot load vendors from '.\/nowhere.js': file \/.*\/nowhere.js does not exist\.$/],
    [['no-such-package'], /^Cannot load vendors from 'no-such-package': no such file or package\. Install/],
    [['graphql'], /^Module 'graphql' does not export `vendors`\. Export vendors by name/],
    [[path, path], /^Both '.*' and '.*' export a vendor 'larder'\. Load only one of them\.$/],
    [['./LICENSE'], /^Cannot load vendors from '.\/LICENSE': /],
  ])('is rejected: %s', async (modules, message) => {
    await expect(loadVendors(modules)).rejects.toThrow(message);
  });
});
