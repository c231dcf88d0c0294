/** The key and secret of a Basic header, as `key:secret`. */
export function basicOf(headers: Headers): string | undefined {
  const encoded = /^Basic (.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (encoded === undefined) return undefined;
  try {
    return atob(encoded.trim());
  } catch {
    return '';
  }
}

/** The token of a Bearer header. */
export function bearerOf(headers: Headers): string | undefined {
  return /^Bearer (.+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}
