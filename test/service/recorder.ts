import type { Logger } from 'agent-connectors-service';

const withErrors = (_: string, value: unknown) =>
  value instanceof Error ? { ...value, message: value.message, stack: value.stack, cause: value.cause } : value;

/** A logger that keeps every line as JSON. Unlike the command's logger it redacts nothing, so tests can find leaked secrets. */
export function recordLines(): { readonly lines: string[]; readonly logger: Logger } {
  const lines: string[] = [];
  const note = (fields: object, message: string) =>
    void lines.push(JSON.stringify({ ...fields, msg: message }, withErrors));
  return { lines, logger: { debug: note, info: note, warn: note, error: note } };
}
