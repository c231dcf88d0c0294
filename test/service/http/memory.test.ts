import { expect, onTestFinished, test } from 'vitest';
import { connectorPath, startTestService, type Tenant } from './setup.js';

const list = { entity: 'files', action: 'list' };
const files = (tenant: Tenant, id: string) => tenant.ask('POST', connectorPath(id, '/execute'), { json: list });

/** A vendor whose lists have this many bytes, and end only once `finish` is called if `stalls` is set. */
function vendor(bytes: number) {
  let open: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    open = resolve;
  });
  onTestFinished(() => open());
  const vendorState = { stalls: false, calls: 0, finish: () => open() };
  const fetch: typeof globalThis.fetch = async () => {
    vendorState.calls += 1;
    // Also a file, for writes.
    const text = JSON.stringify({ id: '1', files: [{ id: '1', name: 'x'.repeat(bytes) }] });
    const { stalls } = vendorState;
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode(text.slice(0, -1)));
        if (stalls) await finished;
        controller.enqueue(new TextEncoder().encode(text.slice(-1)));
        controller.close();
      },
    });
    return new Response(body, { headers: { 'content-type': 'application/json' } });
  };
  return { fetch, vendorState };
}

test('a response that exceeds what an organization may hold is rejected with a reason', {
  timeout: 60_000,
}, async () => {
  const { fetch } = vendor(300_000);
  const { tenant } = await startTestService({ fetch, limits: { heldBytesOfOrganization: 1_000_000 } });
  const acme = await tenant('Acme');
  const answer = await files(acme, await acme.connect('google-drive', { access_token: 'ya29.any' }));
  expect([answer.status, answer.body.code]).toEqual([429, 'rate_limited']);
  expect(answer.body.message).toContain('holds too many bytes in memory');
  expect(answer.body.hint).toContain('fewer records per page');
  expect((await acme.ask('GET', '/api/v1/account/me')).status).toBe(200);
});

test('one organization cannot use the share of another, and waits before it calls the vendor', {
  timeout: 60_000,
}, async () => {
  const { fetch, vendorState } = vendor(100_000);
  // Four bytes per byte of a response: three of them fit in one organization's part, and four in the process.
  const limits = { heldBytes: 2_200_000, heldBytesOfOrganization: 1_300_000 };
  const { tenant } = await startTestService({ fetch, limits });
  const [acme, other] = [await tenant('Acme'), await tenant('Other')];
  const [own, theirs] = [
    await acme.connect('google-drive', { access_token: 'ya29.any' }),
    await other.connect('google-drive', { access_token: 'ya29.other' }),
  ];
  vendorState.stalls = true;
  const running = [files(acme, own), files(acme, own)];
  await expect.poll(() => vendorState.calls).toBe(2);
  // More than half is in use, so this call waits and does not reach the vendor.
  const waiting = files(acme, own);
  vendorState.stalls = false;
  expect((await files(other, theirs)).status).toBe(200);
  expect(vendorState.calls).toBe(3);
  vendorState.finish();
  expect((await Promise.all([...running, waiting])).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(vendorState.calls).toBe(4);
});

test('bodies count several times, and a write that does not fit is rejected before it is sent', async () => {
  const { fetch, vendorState } = vendor(10);
  const { tenant } = await startTestService({ fetch, limits: { heldBytesOfOrganization: 400_000 } });
  const acme = await tenant('Acme');
  const id = await acme.connect('google-drive', { access_token: 'ya29.any' });
  const create = (length: number) =>
    acme.ask('POST', connectorPath(id, '/execute'), {
      json: { entity: 'files', action: 'create', params: { name: 'x'.repeat(length) } },
    });
  const refused = await create(110_000);
  expect([refused.status, refused.body.code, refused.body.errors[0].error_code]).toEqual([
    429,
    'rate_limited',
    'not_begun',
  ]);
  expect(vendorState.calls).toBe(0);
});

test('large bodies of an organization take turns, but do not wait for a vendor', async () => {
  const { fetch, vendorState } = vendor(10);
  const { tenant } = await startTestService({ fetch });
  const acme = await tenant('Acme');
  const id = await acme.connect('google-drive', { access_token: 'ya29.any' });
  const create = () =>
    acme.ask('POST', connectorPath(id, '/execute'), {
      json: { entity: 'files', action: 'create', params: { name: 'report', description: large } },
    });
  const large = 'x'.repeat(2 ** 20);
  vendorState.stalls = true;
  const writes = [create(), create(), create()];
  // The vendor has not responded to any of them.
  await expect.poll(() => vendorState.calls).toBe(3);
  vendorState.finish();
  const answers = await Promise.all(writes);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
});
