import { TokenRequest, type TokenScope, tokenScopes } from 'agent-connectors/wire';
import { httpError } from '../../domain/http-error.js';
import { FormError, readForm } from './form.js';

/** Client id and secret from HTTP Basic, percent-decoded as OAuth requires (RFC 6749, section 2.3.1). */
export function basicCredentials(headers: Headers): readonly [id: string, secret: string] | undefined {
  const encoded = /^basic +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  try {
    return [decodeURIComponent(id), decodeURIComponent(secret)];
  } catch {
    return [id, secret];
  }
}

/** Rejects a form with an error code from RFC 6749, section 5.2. */
export const invalidForm = (oauthCode: string, message: string) =>
  httpError(400, 'invalid_params', message, { oauthCode });

/** Converts the form to the equivalent JSON body. */
export async function readClientCredentials(
  request: Request,
  reserve: (bytes: number) => void,
): Promise<{ readonly client_id: string; readonly client_secret: string; readonly scopes?: readonly TokenScope[] }> {
  const form = await readForm(request, reserve).catch((error: unknown) => {
    if (!(error instanceof FormError)) throw error;
    const { status, message } = error;
    throw httpError(status, status === 413 ? 'too_large' : 'invalid_params', message, { oauthCode: 'invalid_request' });
  });
  if (new Set(form.keys()).size < form.size) throw invalidForm('invalid_request', 'A parameter is repeated.');
  const grantType = form.get('grant_type');
  if (!grantType) throw invalidForm('invalid_request', 'grant_type is missing.');
  if (grantType !== 'client_credentials') {
    throw invalidForm('unsupported_grant_type', 'grant_type must be client_credentials.');
  }
  const [client_id, client_secret] = basicCredentials(request.headers) ?? [
    form.get('client_id'),
    form.get('client_secret'),
  ];
  if (!client_id || !client_secret) throw invalidForm('invalid_request', 'client_id or client_secret is missing.');
  const requested = (form.get('scope') ?? '').split(' ').filter((name) => name !== '');
  const scopes = tokenScopes.filter((scope) => requested.includes(scope));
  if (scopes.length < new Set(requested).size) {
    throw invalidForm('invalid_scope', `scope can contain ${tokenScopes.join(', ')}.`);
  }
  const body = { client_id, client_secret, ...(scopes.length > 0 && { scopes }) };
  if (!TokenRequest.safeParse(body).success) {
    throw invalidForm('invalid_request', 'client_id or client_secret is too long or contains control characters.');
  }
  return body;
}
