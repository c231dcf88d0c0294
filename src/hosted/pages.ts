import type { Lifetime } from '../http/lifetime.js';
import { type Service, type ServiceRequest, unexpectedResponse } from './service.js';

/** Pages of a list from the service; each request has its own timeout, or all share one. */
export async function* pagesOf<T>(
  service: Service,
  path: string,
  query: ServiceRequest['query'],
  lifetime: () => Lifetime,
): AsyncGenerator<readonly T[]> {
  const seen = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const request = { method: 'GET', path, idempotent: true, lifetime: lifetime() } as const;
    const page = await service.json({ ...request, query: { ...query, ...(cursor !== undefined && { cursor }) } });
    if (!Array.isArray(page?.data)) throw unexpectedResponse('a response that is not a list');
    yield page.data as T[];
    if (!page.next) return;
    if (seen.has(page.next)) throw unexpectedResponse('a repeated cursor');
    seen.add(page.next);
    cursor = page.next;
  }
}

/** All items of a list from the service, within one timeout. */
export async function fetchAllPages<T>(
  service: Service,
  path: string,
  query: ServiceRequest['query'],
  lifetime: Lifetime,
): Promise<T[]> {
  const all: T[] = [];
  for await (const page of pagesOf<T>(service, path, query, () => lifetime)) all.push(...page);
  return all;
}
