import { ConnectorError, type Result } from 'agent-connectors';
import { describe, expect, test } from 'vitest';
import { byName, type LocalAction, localActions, type Subject, type Trial, trial } from './subject.js';

/** Every list over several pages, and pages that mislead. */
export function testPages(subject: Subject): void {
  const { parameter, largest } = subject.pages;
  const { entities } = subject.Connector.manifest;
  const lists = localActions(subject).filter(({ paginated }) => paginated);

  const pagesOf = async ({ connector, params }: Trial, { entity, action }: LocalAction, size: number) => {
    const pages: Array<Result<unknown[]>> = [];
    for await (const page of connector.paginate(entity, action, { ...params, [parameter]: size }).pages()) {
      pages.push(page as Result<unknown[]>);
    }
    return pages;
  };
  const recordsOf = (pages: ReadonlyArray<Result<unknown[]>>) => pages.flatMap(({ data }) => data);

  describe('pages through', () => {
    test.each(byName(lists))('%s in small pages as in large ones', async (_, list) => {
      const whole = recordsOf(await pagesOf(await trial(subject, list), list, largest));
      const size = Math.ceil(whole.length / 3);
      const pages = await pagesOf(await trial(subject, list), list, size);
      expect(recordsOf(pages)).toEqual(whole);
      expect(pages.length).toBeGreaterThan(1);
      for (const { data } of pages) expect(data.length).toBeLessThanOrEqual(size);

      const { params, next } = entities[list.entity]!.actions[list.action]!;
      const known = Object.keys((params as unknown as { shape: object }).shape);
      const following = pages.map(({ meta }) => next!(meta) || undefined);
      for (const more of following.slice(0, -1)) {
        expect(Object.keys(more!).length).toBeGreaterThan(0);
        for (const name of Object.keys(more!)) expect(known).toContain(name);
      }
      expect(following.at(-1)).toBeUndefined();
    });

    test.each(byName(lists))('%s where a page comes short', async (_, list) => {
      const whole = recordsOf(await pagesOf(await trial(subject, list), list, largest));
      const prepared = await trial(subject, list);
      prepared.sandbox.faults.add({ kind: 'half_page' });
      expect(recordsOf(await pagesOf(prepared, list, Math.ceil(whole.length / 2)))).toEqual(whole);
    });

    test.each(byName(lists))('%s no further than there is a new cursor', async (_, list) => {
      for (const kind of ['endless_cursor', 'null_cursor'] as const) {
        const prepared = await trial(subject, list);
        prepared.sandbox.faults.add({ kind, count: Number.POSITIVE_INFINITY });
        const error = await pagesOf(prepared, list, 1).catch((thrown: unknown) => thrown);
        expect(ConnectorError.is(error) && error.code, kind).toBe('invalid_response');
        expect(prepared.sandbox.requests.length).toBeLessThan(6);
      }
    });
  });
}
