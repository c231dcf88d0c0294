import { ConnectorError, type Result } from 'agent-connectors';
import { describe, expect, test } from 'vitest';
import { asTableRows, type LocalAction, localActions, prepareTrial, type Subject, type Trial } from './subject.js';

const reportsMore = (pages: ReadonlyArray<Result<unknown[]>>): boolean =>
  Object.values(pages.at(-1)?.meta ?? {}).includes(true);

/** Tests pagination of every list, including faulty pages. */
export function testPages(subject: Subject): void {
  const { pages: paging } = subject;
  const { entities } = subject.Connector.manifest;
  const lists = localActions(subject).filter(({ paginated }) => paginated);
  if (!paging) {
    test('has no paginated list', () => expect(lists).toEqual([]));
    return;
  }
  const { maxSize, faults = ['half_page', 'endless_cursor', 'null_cursor'] } = paging;

  const paramsForSize = ({ params }: Trial, size: number) =>
    'sizeParameter' in paging ? { ...params, [paging.sizeParameter]: size } : params;
  const pagesOf = async (trialRun: Trial, { entity, action }: LocalAction, size: number) => {
    if ('setSize' in paging) paging.setSize(trialRun.sandbox, size);
    const pages: Array<Result<unknown[]>> = [];
    for await (const page of trialRun.connector.paginate(entity, action, paramsForSize(trialRun, size)).pages()) {
      pages.push(page as Result<unknown[]>);
    }
    return pages;
  };
  const recordsOf = (pages: ReadonlyArray<Result<unknown[]>>) => pages.flatMap(({ data }) => data);

  describe('paginates', () => {
    test.each(asTableRows(lists))('%s with the same result for small and large page sizes', async (_, list) => {
      const whole = recordsOf(await pagesOf(await prepareTrial(subject, list), list, maxSize));
      const size = Math.ceil(whole.length / 3);
      const trialRun = await prepareTrial(subject, list);
      const pages = await pagesOf(trialRun, list, size);
      expect(recordsOf(pages)).toEqual(whole);
      expect(pages.length).toBeGreaterThan(1);
      for (const { data } of pages) expect(data.length).toBeLessThanOrEqual(size);

      const { params, next } = entities[list.entity]!.actions[list.action]!;
      const parameterNames = Object.keys((params as unknown as { shape: object }).shape);
      const nextParams: Array<object | undefined> = [];
      for (const { meta, data } of pages) {
        nextParams.push(
          next!(meta, { params: { ...paramsForSize(trialRun, size), ...nextParams.at(-1) }, data }) || undefined,
        );
      }
      for (const more of nextParams.slice(0, -1)) {
        expect(Object.keys(more!).length).toBeGreaterThan(0);
        for (const name of Object.keys(more!)) expect(parameterNames).toContain(name);
      }
      expect(nextParams.at(-1)).toBeUndefined();
    });

    test.each(asTableRows(faults.includes('half_page') ? lists : []))('%s past a short page', async (_, list) => {
      const whole = recordsOf(await pagesOf(await prepareTrial(subject, list), list, maxSize));
      const trialRun = await prepareTrial(subject, list);
      trialRun.sandbox.faults.add({ kind: 'half_page' });
      expect(recordsOf(await pagesOf(trialRun, list, Math.ceil(whole.length / 2)))).toEqual(whole);
    });

    const cursorFaults = (['endless_cursor', 'null_cursor'] as const).filter((kind) => faults.includes(kind));
    test.each(asTableRows(cursorFaults.length > 0 ? lists : []))(
      '%s only while the cursor keeps changing',
      async (_, list) => {
        for (const kind of cursorFaults) {
          const trialRun = await prepareTrial(subject, list);
          trialRun.sandbox.faults.add({ kind, count: Number.POSITIVE_INFINITY });
          const outcome = await pagesOf(trialRun, list, 1).catch((thrown: unknown) => thrown);
          // Without a cursor, a list ends unless the vendor also reports whether there are more pages.
          if (kind === 'null_cursor' && Array.isArray(outcome) && !reportsMore(outcome)) continue;
          expect(ConnectorError.is(outcome) && outcome.code, kind).toBe('invalid_response');
          // A page can take several requests.
          const { requests } = trialRun.sandbox;
          expect(requests.length).toBeLessThan(6 * (await requestsOfOne(list)));
        }
      },
    );
  });

  async function requestsOfOne(list: LocalAction): Promise<number> {
    const { sandbox, run } = await prepareTrial(subject, list);
    await run();
    return sandbox.requests.length;
  }
}
