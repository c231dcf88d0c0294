import * as z from 'zod';
import { ConnectorError } from '../call/errors.js';
import { nearest } from '../call/nearest.js';
import type { AuthScheme } from './scheme.js';

/** The scheme that these credentials are meant for, with the credentials as it wants them. */
export interface ChosenScheme {
  readonly mode: string;
  readonly scheme: AuthScheme;
  readonly credentials: Readonly<Record<string, string>>;
}

const fieldsOf = (scheme: AuthScheme) => Object.keys(scheme.fields._zod.def.shape);
const required = (scheme: AuthScheme) =>
  Object.entries(scheme.fields._zod.def.shape).flatMap(([name, field]) => (field._zod.optin ? [] : [name]));

/** Finds the mode that the given fields belong to; its errors name fields, never values. */
export function chooseScheme(
  title: string,
  schemes: Readonly<Record<string, AuthScheme>>,
  given: unknown,
): ChosenScheme {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw refuse(title, schemes, 'are not an object');
  }
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  const names = entries.map(([name]) => name);
  if (names.length === 0) throw refuse(title, schemes, 'are empty');

  const known = new Set(Object.values(schemes).flatMap(fieldsOf));
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) {
    // A key pasted as a field's name must not come back in the message.
    const close = nearest(unknown, known);
    throw refuse(title, schemes, `hold a field that it does not know${close ? ` (did you mean '${close}'?)` : ''}`);
  }
  const fitting = Object.entries(schemes).filter(([, scheme]) => {
    const fields = fieldsOf(scheme);
    return names.every((name) => fields.includes(name));
  });
  if (fitting.length === 0) throw refuse(title, schemes, `mix fields of two modes (${names.join(', ')})`);

  const complete = fitting.find(([, scheme]) => required(scheme).every((name) => names.includes(name)));
  if (!complete) {
    const missing = required(fitting[0]![1]).filter((name) => !names.includes(name));
    throw refuse(title, schemes, `lack ${missing.join(', ')}`);
  }
  const [mode, scheme] = complete;
  const parsed = z.safeParse(scheme.fields, Object.fromEntries(entries));
  if (parsed.success) return { mode, scheme, credentials: parsed.data as Record<string, string> };
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: `credentials.${path.join('.')}`, message }));
  throw refuse(title, schemes, issues.map(({ path, message }) => `${path} ${message}`).join('; '), issues);
}

function refuse(
  title: string,
  schemes: Readonly<Record<string, AuthScheme>>,
  what: string,
  issues?: ReadonlyArray<{ path: string; message: string }>,
): ConnectorError {
  const modes = Object.values(schemes).map((scheme) => {
    const must = required(scheme);
    return `{ ${fieldsOf(scheme)
      .map((name) => (must.includes(name) ? name : `${name}?`))
      .join(', ')} }`;
  });
  const message = issues ? `${title}: ${what}.` : `The credentials for ${title} ${what}.`;
  return new ConnectorError('invalid_credentials', `${message} It accepts ${modes.join(' or ')}.`, { issues });
}
