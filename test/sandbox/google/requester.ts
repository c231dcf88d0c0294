import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import { importPKCS8, type JWTPayload, SignJWT } from 'jose';
import { noon } from '../requester.js';

/** Google's token endpoint. */
export const tokenAddress = 'https://oauth2.googleapis.com/token';

/** The scopes that tests request. */
export const scopes = {
  analytics: 'https://www.googleapis.com/auth/analytics.readonly',
  drive: 'https://www.googleapis.com/auth/drive.readonly',
};

/** A sandbox at a fixed time. */
export function fixedSandbox(): Sandbox {
  return createSandbox({ now: () => noon });
}

/** Changes to an otherwise valid assertion. */
export interface Changes {
  claims?: JWTPayload & { scope?: string | undefined };
  header?: Record<string, unknown>;
}

/** Signs an assertion for the account of a key file, valid at noon unless changed. */
export async function assertionFor(keyFile: string, { claims = {}, header = {} }: Changes = {}): Promise<string> {
  const { client_email, private_key, private_key_id } = JSON.parse(keyFile);
  const issued = noon / 1000 - 30;
  const defaults = { iss: client_email, scope: scopes.analytics, aud: tokenAddress, iat: issued, exp: issued + 3600 };
  return new SignJWT({ ...defaults, ...claims })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: private_key_id, ...header })
    .sign(await importPKCS8(private_key, 'RS256'));
}

/** Exchanges an assertion, or sends any other token request. */
export async function exchange(
  sandbox: Pick<Sandbox, 'fetch'>,
  fields: Record<string, string> | string,
  address = tokenAddress,
): Promise<{ status: number; json: any }> {
  const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  const body = new URLSearchParams(typeof fields === 'string' ? { grant_type, assertion: fields } : fields);
  const response = await sandbox.fetch(address, { method: 'POST', body });
  return { status: response.status, json: await response.json() };
}
