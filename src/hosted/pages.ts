import type { Lifetime } from '../http/lifetime.js';
import { notOfForm, type Service, type ServiceRequest } from './service.js';

/** Everything that a list of the service holds, page by page. */
export async function everyPage<T>(
  service: Service,
  path: string,
  query: ServiceRequest['query'],
  lifetime: Lifetime,
): Promise<T[]> {
  const all: T[] = [];
  const seen = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const page = await service.json({ method: 'GET', path, query: { ...query, cursor }, repeatable: true, lifetime });
    if (!Array.isArray(page?.data)) throw notOfForm('something that is no list');
    all.push(...(page.data as T[]));
    if (!page.next) return all;
    if (seen.has(page.next)) throw notOfForm('a cursor that it has given before');
    seen.add(page.next);
    cursor = page.next;
  }
}
