const scopePrefix = 'https://www.googleapis.com/auth/';
const products = ['drive', 'drive.file', 'drive.metadata', 'drive.metadata.readonly', 'drive.readonly']
  .concat(['analytics', 'analytics.readonly', 'analytics.edit', 'cloud-platform', 'spreadsheets', 'documents'])
  .concat(['calendar', 'calendar.readonly', 'gmail.readonly', 'userinfo.email', 'userinfo.profile', 'bigquery']);
const allScopes = new Set([...products.map((name) => `${scopePrefix}${name}`), 'openid', 'email', 'profile']);

/** A scope of a Google product. */
export function scope(name: string): string {
  return `${scopePrefix}${name}`;
}

/** The known scopes in a list. */
export function knownScopes(text: string): string[] {
  return text.split(/\s+/).filter((name) => allScopes.has(name));
}

/** The scopes in a list, without their common prefix. */
export function scopesOf(text: string): ReadonlySet<string> {
  return new Set(text.split(' ').map((one) => one.replace(scopePrefix, '')));
}
