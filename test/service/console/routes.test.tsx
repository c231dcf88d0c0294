import { expect, test, vi } from 'vitest';

// Texts are in the browser's language.
vi.stubGlobal('navigator', { languages: ['en'] });
const { resolvePath, routes } = await import('../../../service/console/src/routes.js');
vi.unstubAllGlobals();

const entries = routes.map(({ path, title }) => [title, path] as const);

test.each(entries)('the navigation entry %s leads to a page and is marked as current there', (_, path) => {
  const { page, entry } = resolvePath(path!);
  expect(page).toMatchObject({ type: expect.any(Function) });
  expect(entry).toBe(path);
});

test('every navigation entry leads to a page of its own', () => {
  const components = entries.map(([, path]) => (resolvePath(path!).page as { readonly type: unknown }).type);
  expect(entries.length).toBeGreaterThan(5);
  expect(new Set(components).size).toBe(entries.length);
});

test('pages below a navigation entry receive the rest of the path', () => {
  const connector = resolvePath('/connectors/con_1/records/issues/ENG-1');
  expect(connector).toMatchObject({ entry: '/connectors', page: { props: { id: 'con_1', tab: 'records' } } });
  expect(connector).toMatchObject({ page: { props: { rest: ['issues', 'ENG-1'] } } });
  expect(resolvePath('/webhooks/wh_1')).toMatchObject({ entry: '/webhooks', page: { props: { id: 'wh_1' } } });
});

test.each(['/missing', '/search-results'])('%s is no page', (path) => {
  expect(resolvePath(path).page).toBeUndefined();
});
