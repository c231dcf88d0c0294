import { createHash, randomBytes } from 'node:crypto';
import { authorizationUrl, exchangeCode } from 'agent-connectors/setup';
import type { SetupRow } from '../../data/state/setups.js';
import type { CredentialFields } from '../../domain/connectors/credentials.js';
import type { Definition } from '../../domain/connectors/definitions.js';
import { type AskedConsent, type Draft, keepDraft, lasting } from './draft.js';
import { browserCookie, consentMs } from './headers.js';
import { leavingPage } from './pages/ends.js';
import type { SetupParts } from './parts.js';
import { showable } from './secrets.js';
import { wordsOf } from './trial.js';
import type { Way } from './ways.js';

/** Where vendors send the browser back to, letter by letter. */
export const redirectAddress = ({ address }: SetupParts): string => `${address.url}/setup/callback`;

const random = () => randomBytes(32).toString('base64url');

/** The application that a person is asked to let in. */
export interface Application {
  readonly mode: string;
  readonly kind: Way['kind'];
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Takes the browser to the vendor's consent page; nothing where the setup has ended. */
export async function askConsent(
  parts: SetupParts,
  setup: SetupRow,
  definition: Definition,
  application: Application,
  draft: Draft,
  token: string,
): Promise<Response | undefined> {
  const { setups, address, policy } = parts;
  const { manifest } = definition;
  const [state, browser, verifier] = [random(), random(), random()];
  const redirect = redirectAddress(parts);
  const url = authorizationUrl(
    manifest,
    application.mode,
    {
      client_id: application.clientId,
      redirect_uri: redirect,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    },
    { endpoints: policy.endpoints[manifest.name] },
  );
  const asked: AskedConsent = { type: manifest.name, ...application, verifier, redirect, token };
  if (!(await keepDraft(setups, setup.id, { ...lasting(draft), asked }))) return undefined;
  if (!(await setups.expect(setup.id, state, browser, consentMs))) return undefined;
  const page = await leavingPage(manifest.title, url);
  page.headers.append('set-cookie', browserCookie(setup.id, browser, address.url));
  return page;
}

/** What the vendor's page answered: credentials, or why there are none. */
export async function consentAnswer(
  { policy, fetch }: SetupParts,
  { manifest }: Definition,
  asked: AskedConsent,
  query: URLSearchParams,
): Promise<{ readonly credentials: CredentialFields } | { readonly error: string }> {
  const { mode, clientId, clientSecret, verifier, redirect } = asked;
  const code = query.get('code');
  const refused = query.get('error');
  if (refused !== null || !code) {
    if (refused === 'access_denied') return { error: `Access was not allowed on the page of ${manifest.title}.` };
    const said = [refused, query.get('error_description')].filter(Boolean).join(': ') || 'no code';
    return { error: `The page of ${manifest.title} answered: ${showable(said, [clientSecret, verifier], 300)}` };
  }
  try {
    const grant = { client_id: clientId, client_secret: clientSecret, redirect_uri: redirect, code };
    const credentials = await exchangeCode(
      manifest,
      mode,
      { ...grant, code_verifier: verifier },
      { endpoints: policy.endpoints[manifest.name], fetch },
    );
    return { credentials };
  } catch (error) {
    return { error: wordsOf(error, [clientSecret, verifier, code]) };
  }
}
