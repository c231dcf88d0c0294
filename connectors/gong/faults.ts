import { ConnectorError, codeOfStatus, type Fault, type HttpReply } from '../../src/authoring.js';

const hints: Readonly<Record<number, string>> = {
  401: 'Besides a wrong, expired or revoked key, the host may be wrong: pass base_url as the API page of your Gong settings shows it.',
  403: 'The key may lack access, or its list of trusted addresses leaves out this machine.',
  404: 'It does not exist, is still being processed, or the owner of the key may not see it.',
};

const cursorHint =
  'A cursor goes with the list and the parameters that it came from, as `meta.cursor` of the page before. To begin again, leave cursor out.';

const toText = (item: unknown): string => (typeof item === 'string' ? item : JSON.stringify(item));

/**
 * Reads a failure out of Gong's reply: `{ requestId, errors: [text, …] }`, without codes.
 *
 * A missing scope comes as 401, by the words alone (help.gong.io, and replies that other clients recorded).
 */
export function fault({ status, body, headers }: HttpReply): Fault | undefined {
  if (status < 400 || typeof body !== 'object' || body === null) return undefined;
  const { errors, requestId } = body as { errors?: unknown; requestId?: unknown };
  if (!Array.isArray(errors)) return undefined;
  const errorTexts = errors.map(toText);
  const message = errorTexts.join('; ').replace(/\.$/, '') || `status ${status}`;
  const scope = status === 401 ? /permission to use '([^']+)'/.exec(message)?.[1] : undefined;
  const vendor = {
    message,
    requestId: typeof requestId === 'string' ? requestId : (headers.get('x-traceid') ?? undefined),
  };
  if (scope !== undefined) {
    return {
      code: 'scope_missing',
      message: `Gong: the application lacks the scope ${scope}.`,
      hint: 'Add the scope to the application in Gong, and authorise it again.',
      vendor,
    };
  }
  const issues = status === 400 ? errorTexts.map(issueOf) : undefined;
  const hint = issues?.some(({ path }) => path === 'cursor') ? cursorHint : hints[status];
  return { code: codeOfStatus(status), message: `Gong: ${message}.`, hint, vendor, issues };
}

/** Gong names a field before a colon. */
function issueOf(text: string): { path: string; message: string } {
  const [, path = '', message = text] = /^([\w.-]+): (.+)$/s.exec(text) ?? [];
  return { path, message };
}

/** Whether the failure says that a filter let nothing through: Gong answers 404 then, where others send an empty list. */
export const isEmptyResultError = (error: unknown): error is ConnectorError =>
  ConnectorError.is(error) && error.code === 'not_found' && /^No .+ found\b/i.test(error.vendor?.message ?? '');
