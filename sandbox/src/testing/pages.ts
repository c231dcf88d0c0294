import { ConnectorError, type Result } from 'agent-connectors';
import { describe, expect, test } from 'vitest';
import { byName, type LocalAction, localActions, type Subject, type Trial, trial } from './subject.js';

/** Every list over several pages, and pages that mislead. */
export function testPages(subject: Subject): void {
  const { pages: paging } = subject;
  const { entities } = subject.Connector.manifest;
  const lists = localActions(subject).filter(({ paginated }) => paginated);
  if (!paging) {
    test('has no list that comes in pages', () => expect(lists).toEqual([]));
    return;
  }
  const { maxSize, faults = ['half_page', 'endless_cursor', 'null_cursor'] } = paging;

  const sized = ({ params }: Trial, size: number) =>
    'sizeParameter' in paging ? { ...params, [paging.sizeParameter]: size } : params;
  const pagesOf = async (prepared: Trial, { entity, action }: LocalAction, size: number) => {
    if ('setSize' in paging) paging.setSize(prepared.sandbox, size);
    const pages: Array<Result<unknown[]>> = [];
    for await (const page of prepared.connector.paginate(entity, action, sized(prepared, size)).pages()) {
      pages.push(page as Result<unknown[]>);
    }
    return pages;
  };
  const recordsOf = (pages: ReadonlyArray<Result<unknown[]>>) => pages.flatMap(({ data }) => data);

  describe('pages through', () => {
    test.each(byName(lists))('%s in small pages as in large ones', async (_, list) => {
      const whole = recordsOf(await pagesOf(await trial(subject, list), list, maxSize));
      const size = Math.ceil(whole.length / 3);
      const prepared = await trial(subject, list);
      const pages = await pagesOf(prepared, list, size);
      expect(recordsOf(pages)).toEqual(whole);
      expect(pages.length).toBeGreaterThan(1);
      for (const { data } of pages) expect(data.length).toBeLessThanOrEqual(size);

      const { params, next } = entities[list.entity]!.actions[list.action]!;
      const known = Object.keys((params as unknown as { shape: object }).shape);
      const following: Array<object | undefined> = [];
      for (const { meta, data } of pages) {
        following.push(next!(meta, { params: { ...sized(prepared, size), ...following.at(-1) }, data }) || undefined);
      }
      for (const more of following.slice(0, -1)) {
        expect(Object.keys(more!).length).toBeGreaterThan(0);
        for (const name of Object.keys(more!)) expect(known).toContain(name);
      }
      expect(following.at(-1)).toBeUndefined();
    });

    test.each(byName(faults.includes('half_page') ? lists : []))('%s where a page comes short', async (_, list) => {
      const whole = recordsOf(await pagesOf(await trial(subject, list), list, maxSize));
      const prepared = await trial(subject, list);
      prepared.sandbox.faults.add({ kind: 'half_page' });
      expect(recordsOf(await pagesOf(prepared, list, Math.ceil(whole.length / 2)))).toEqual(whole);
    });

    const turning = (['endless_cursor', 'null_cursor'] as const).filter((kind) => faults.includes(kind));
    test.each(byName(turning.length > 0 ? lists : []))('%s no further than there is a new cursor', async (_, list) => {
      for (const kind of turning) {
        const prepared = await trial(subject, list);
        prepared.sandbox.faults.add({ kind, count: Number.POSITIVE_INFINITY });
        const error = await pagesOf(prepared, list, 1).catch((thrown: unknown) => thrown);
        expect(ConnectorError.is(error) && error.code, kind).toBe('invalid_response');
        // One page may take several requests.
        const { requests } = prepared.sandbox;
        expect(requests.length).toBeLessThan(6 * (await requestsOfOne(list)));
      }
    });
  });

  async function requestsOfOne(list: LocalAction): Promise<number> {
    const { sandbox, run } = await trial(subject, list);
    await run();
    return sandbox.requests.length;
  }
}
