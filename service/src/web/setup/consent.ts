import { createHash, randomBytes } from 'node:crypto';
import { authorizationUrl, exchangeCode } from 'agent-connectors/setup';
import type { SetupRow } from '../../data/state/setup-types.js';
import type { Definition } from '../../domain/connectors/definitions.js';
import type { CredentialFields } from '../../domain/connectors/instances.js';
import type { ConnectMethod } from './connect-methods.js';
import type { SetupDependencies } from './dependencies.js';
import { type PendingConsent, retainedDraft, saveDraft } from './draft.js';
import { browserCookie, consentMs, sessionSeconds } from './headers.js';
import type { Look } from './look.js';
import { redirectPage } from './pages/outcome-pages.js';
import { redactSecrets } from './secrets.js';
import { failureMessage } from './trial.js';
import type { SetupVisit } from './visit.js';

/** Redirect URI for vendors, which require an exact match. */
export const redirectAddress = ({ address }: SetupDependencies): string => `${address.url}/setup/callback`;

const random = () => randomBytes(32).toString('base64url');

/** The OAuth application that a user authorizes. */
export interface Application {
  readonly mode: string;
  readonly kind: ConnectMethod['kind'];
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Redirects to the vendor's consent page; undefined if the setup has ended. */
export async function requestConsent(
  dependencies: SetupDependencies,
  setup: SetupRow,
  definition: Definition,
  application: Application,
  { draft, token, look, browser: current }: Pick<SetupVisit, 'draft' | 'token' | 'look' | 'browser'>,
): Promise<Response | undefined> {
  const { setups, address, addressPolicy } = dependencies;
  const { manifest } = definition;
  const isOfProduct = setup.connect?.brand !== undefined;
  const [state, browser, verifier] = [random(), (isOfProduct && current) || random(), random()];
  const redirect = redirectAddress(dependencies);
  const usesPicker = application.kind === 'picker';
  const scopes = usesPicker ? [definition.setup!.picker!.scope] : setup.connect?.scopes;
  const url = authorizationUrl(
    manifest,
    application.mode,
    {
      client_id: application.clientId,
      redirect_uri: redirect,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    },
    { endpoints: addressPolicy.endpoints[manifest.name], scopes },
  );
  const consent: PendingConsent = { type: manifest.name, ...application, verifier, redirect, token };
  if (!(await saveDraft(setups, setup.id, { ...retainedDraft(draft), consent }))) return undefined;
  if (!(await setups.expectConsent(setup.id, state, browser, consentMs))) return undefined;
  const page = await redirectPage(look, manifest.title, url);
  if (!isOfProduct) {
    const cookie = browserCookie(setup.id, browser, address.url, usesPicker ? sessionSeconds : undefined);
    page.headers.append('set-cookie', cookie);
  }
  return page;
}

/** Exchanges the consent response for credentials, or explains why there are none. */
export async function exchangeConsent(
  { addressPolicy, fetch }: SetupDependencies,
  { manifest }: Definition,
  consent: PendingConsent,
  query: URLSearchParams,
  { texts }: Look,
): Promise<{ readonly credentials: CredentialFields } | { readonly error: string }> {
  const { mode, clientId, clientSecret, verifier, redirect } = consent;
  const code = query.get('code');
  const errorCode = query.get('error');
  if (errorCode !== null || !code) {
    if (errorCode === 'access_denied') return { error: texts.accessDenied(manifest.title) };
    const detail = [errorCode, query.get('error_description')].filter(Boolean).join(': ') || 'no code';
    return { error: texts.vendorAnswered(manifest.title, redactSecrets(detail, [clientSecret, verifier], 300)) };
  }
  try {
    const grant = { client_id: clientId, client_secret: clientSecret, redirect_uri: redirect, code };
    const credentials = await exchangeCode(
      manifest,
      mode,
      { ...grant, code_verifier: verifier },
      { endpoints: addressPolicy.endpoints[manifest.name], fetch },
    );
    return { credentials };
  } catch (error) {
    return { error: failureMessage(error, [clientSecret, verifier, code]) };
  }
}
