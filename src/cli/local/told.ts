import type { Observation } from './observer.js';

/** What reads have brought: the first record of each entity, and the meta that came with it. */
export interface Brought {
  readonly records: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly metas: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

/** Where records tell whose credentials these are, by entity: dotted paths. */
const telling: ReadonlyArray<readonly [string, readonly string[]]> = [
  ['about', ['user.displayName', 'user.emailAddress']],
  ['workspaces', ['name', 'id']],
  ['teams', ['name', 'key']],
];

const at = (record: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], record);

/** Who the vendor takes the caller for, as far as it says so. */
export function identityOf({ records }: Brought, credentials: Readonly<Record<string, string>>): object | null {
  const account = serviceAccountOf(credentials.credentials_json);
  const [entity, paths = []] = telling.find(([name]) => records.has(name)) ?? [];
  const record = entity === undefined ? undefined : records.get(entity);
  const seen = paths.flatMap((path) => {
    const value = at(record, path);
    return value ? [[path.split('.').at(-1)!, value] as const] : [];
  });
  if (!account && seen.length === 0) return null;
  return {
    ...(account && { service_account: account }),
    ...(seen.length > 0 && { seen_in: entity, ...Object.fromEntries(seen) }),
  };
}

function serviceAccountOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const { client_email } = JSON.parse(text) as { client_email?: unknown };
    return typeof client_email === 'string' ? client_email : undefined;
  } catch {
    return undefined;
  }
}

/** Quota that vendors tell of in what they send, and not in its headers. */
export function quotaIn({ records, metas }: Brought): Observation['quota'] {
  const storage = at(records.get('about'), 'storageQuota') as Record<string, unknown> | undefined;
  const property = [...metas.values()].map((meta) => meta.propertyQuota).find(Boolean) as object | undefined;
  const entry = (name: string, remaining: number, limit: number | null) => ({ name, remaining, limit });
  return [
    ...(storage?.limit
      ? [entry('bytes', Number(storage.limit) - Number(storage.usage ?? 0), Number(storage.limit))]
      : []),
    ...Object.entries(property ?? {}).flatMap(([name, value]: [string, any]) => {
      const { remaining, consumed } = value ?? {};
      if (typeof remaining !== 'number') return [];
      return [entry(name, remaining, typeof consumed === 'number' ? remaining + consumed : null)];
    }),
  ];
}
