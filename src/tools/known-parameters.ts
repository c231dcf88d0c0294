import { ConnectorError, type ErrorCode } from '../errors/connector-error.js';
import { matchingForm } from './schema.js';
import type { KnownParameters, Target } from './toolset.js';

type Values = Readonly<Record<string, unknown>>;

/** Lists the configured values, one line per parameter. */
export const knownText = (known: KnownParameters): string[] =>
  Object.entries(known).map(([name, values]) => `Configured values for ${name}: ${values.join(', ')}.`);

/** Fills in required parameters of a read that have a single configured value, and adds a note. */
export async function withKnown({ member, action }: Target, params: Values) {
  const { required = [], properties = {} } = matchingForm(action.params, params);
  const missing = action.effect === 'read' ? required.filter((name) => name in properties && !(name in params)) : [];
  if (missing.length === 0) return { params, notes: [] };
  const known = await member.known();
  const found = missing.flatMap((name) => (known[name]?.length === 1 ? [[name, known[name][0]!] as const] : []));
  return {
    params: { ...params, ...Object.fromEntries(found) },
    notes: found.map(([name, value]) => `${name} is ${value}, the only configured value.`),
  };
}

/** Failures that a different parameter value may avoid. */
const codes: ReadonlySet<ErrorCode> = new Set(['invalid_params', 'forbidden', 'not_found']);

/** Adds the configured values to a failure about one of their parameters. */
export async function namingKnown(error: unknown, { member, action }: Target, params: Values): Promise<unknown> {
  if (!ConnectorError.is(error) || !codes.has(error.code)) return error;
  const { properties = {} } = matchingForm(action.params, params);
  const known = Object.entries(await member.known()).filter(([name, values]) => {
    const isFault = error.code !== 'invalid_params' || error.issues?.some(({ path }) => path === name);
    return name in properties && isFault && !values.includes(String(params[name]));
  });
  if (known.length === 0) return error;
  const { code, message, status, retryable, retryAfterMs, vendor, issues, docs } = error;
  const hint = [...(error.hint === undefined ? [] : [error.hint]), ...knownText(Object.fromEntries(known))].join(' ');
  return new ConnectorError(code, message, {
    status,
    retryable,
    retryAfterMs,
    vendor,
    issues,
    docs,
    hint,
    cause: error,
  });
}
