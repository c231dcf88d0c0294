// #region test
import { expect, test } from 'vitest';
import { LarderConnector } from './larder.js';

/** The vendor, as far as the test needs it: three jars, two on a page. */
const fetch: typeof globalThis.fetch = async (address, init) => {
  const request = new Request(address, init);
  const { pathname, searchParams } = new URL(request.url);
  if (request.headers.get('authorization') !== 'Bearer k3y')
    return Response.json({ problem: 'no key' }, { status: 401 });
  const jars = ['Plum', 'Quince', 'Rowan'].map((label, index) => ({ id: `jar_${index + 1}`, label, shelf: 4 }));
  if (request.method === 'POST') return Response.json({ id: 'jar_4', ...((await request.json()) as object) });
  if (pathname !== '/v1/jars') {
    const jar = jars.find(({ id }) => pathname.endsWith(`/${id}`));
    return jar ? Response.json(jar) : Response.json({ problem: 'no such jar' }, { status: 404 });
  }
  const from = Number(searchParams.get('cursor') ?? 0);
  return Response.json({
    jars: jars.slice(from, from + 2),
    next: from + 2 < jars.length ? String(from + 2) : undefined,
  });
};

const larder = new LarderConnector({ credentials: { api_key: 'k3y' }, fetch });

test('a list is walked through, page by page', async () => {
  const labels: unknown[] = [];
  for await (const { label } of larder.paginate('jars', 'list')) labels.push(label);
  expect(labels).toEqual(['Plum', 'Quince', 'Rowan']);
});

test('a record has the fields that were promised, and no others', async () => {
  expect((await larder.jars.get({ id: 'jar_1' })).data).toEqual({ id: 'jar_1', label: 'Plum', grams: null });
});

test('a write gives what it left behind', async () => {
  const { data } = await larder.jars.create({ label: 'Sloe' });
  expect(data).toEqual({ success: true, jar: { id: 'jar_4', label: 'Sloe', grams: null } });
});

test('failures have a code, and wrong parameters are never sent', async () => {
  await expect(larder.jars.get({ id: 'jar_9' })).rejects.toMatchObject({ code: 'not_found' });
  await expect(larder.jars.list({ size: 21 })).rejects.toMatchObject({ code: 'invalid_params' });
});
// #endregion
