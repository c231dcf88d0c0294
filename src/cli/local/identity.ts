import type { DoctorReads, IdentityPaths } from '../../manifest/setup.js';

const valueAt = (record: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], record);

/** The caller's identity, as reported by the vendor. */
export function identityOf(
  { records }: DoctorReads,
  credentials: Readonly<Record<string, string>>,
  { entity, paths = [] }: Partial<IdentityPaths> = {},
): object | null {
  const account = serviceAccountOf(credentials.credentials_json);
  const record = entity === undefined ? undefined : records.get(entity);
  const identityFields = paths.flatMap((path) => {
    const value = valueAt(record, path);
    return value ? [[path.split('.').at(-1)!, value] as const] : [];
  });
  if (!account && identityFields.length === 0) return null;
  return {
    ...(account && { service_account: account }),
    ...(identityFields.length > 0 && { seen_in: entity, ...Object.fromEntries(identityFields) }),
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

/** An identity in words, such as `Ada Lovelace (ada@example.com), from about`. */
export function identityText(identity: Readonly<Record<string, unknown>> | null | undefined): string {
  if (identity && 'detail' in identity) return [identity.name, identity.detail].filter(Boolean).join(', ');
  const { service_account, seen_in, ...seen } = identity ?? {};
  const [first, ...rest] = Object.values(seen).map(String);
  const account = first && `${first}${rest.length > 0 ? ` (${rest.join(', ')})` : ''}`;
  return [
    ...(service_account ? [`service account ${service_account}`] : []),
    ...(account ? [account] : []),
    ...(account && seen_in ? [`from ${seen_in}`] : []),
  ].join(', ');
}
