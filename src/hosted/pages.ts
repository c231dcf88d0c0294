import type { Lifetime } from '../http/lifetime.js';
import { type Service, type ServiceRequest, unexpectedResponse } from './service.js';

/** Everything that a list of the service holds, page by page. */
export async function fetchAllPages<T>(
  service: Service,
  path: string,
  query: ServiceRequest['query'],
  lifetime: Lifetime,
): Promise<T[]> {
  const all: T[] = [];
  const seen = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const page = await service.json({ method: 'GET', path, query: { ...query, cursor }, idempotent: true, lifetime });
    if (!Array.isArray(page?.data)) throw unexpectedResponse('something that is no list');
    all.push(...(page.data as T[]));
    if (!page.next) return all;
    if (seen.has(page.next)) throw unexpectedResponse('a cursor that it has given before');
    seen.add(page.next);
    cursor = page.next;
  }
}
