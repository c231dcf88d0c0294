import { ConnectorError } from 'agent-connectors';
import { tokenScopes } from '../../data/state/rows.js';
import type { SetupRow } from '../../data/state/setup-types.js';
import { runAs } from '../../domain/audit/record-audit.js';
import { checkCredentials } from '../../domain/connectors/credentials.js';
import { HttpError } from '../../domain/http-error.js';
import { exchangeConsent } from './consent.js';
import type { SetupDependencies } from './dependencies.js';
import { readDraft, retainedDraft, saveDraft } from './draft.js';
import { FormError, readForm } from './form.js';
import { browserCookie, isSameOrigin, pageResponse, readBrowserCookie, seeOther } from './headers.js';
import { keyedQueue } from './keyed-queue.js';
import { messagePage } from './pages/layout.js';
import { endedPage, invalidConsentPage, unknownPage } from './pages/outcome-pages.js';
import { connect, handleForm, loadVisit, showStep } from './steps.js';
import { stylesheet } from './stylesheet.js';

/** One address of the setup pages. */
export interface SetupPage {
  /** With parameters in braces. */
  readonly path: string;
  handle(request: Request, params: Readonly<Record<string, string>>, requestInfo: RequestInfo): Promise<Response>;
}

/** Which request it is, and where it came from. */
export interface RequestInfo {
  readonly requestId: string;
  readonly address: string | undefined;
  /** Holds so many bytes more of the request's body in memory, or refuses to. */
  readonly reserveBytes: (bytes: number) => void;
}

const pathOf = (token: string) => `/setup/${token}`;
const isToken = (text: string) => /^[\w-]{43}$/.test(text);

/** The pages on which a person connects an account. */
export function setupPages(dependencies: SetupDependencies): SetupPage[] {
  const { setups, address } = dependencies;

  const enqueue = keyedQueue();

  /** A person does it, on behalf of the program that began the setup. */
  const runAsClient = <T>({ clientId }: SetupRow, { requestId, address }: RequestInfo, work: () => T): T =>
    runAs({ clientId, scopes: tokenScopes, via: 'setup', requestId, address }, work);

  const setupPage = async (request: Request, token: string, requestInfo: RequestInfo): Promise<Response> => {
    const setup = isToken(token) ? await setups.getByToken(token) : undefined;
    if (!setup) return unknownPage();
    const endedResponse = async () => endedPage((await setups.getByToken(token)) ?? { ...setup, status: 'expired' });
    if (setup.status !== 'pending') return endedResponse();
    if (request.method !== 'POST') return showStep(await loadVisit(dependencies, setup, token, requestInfo.requestId));
    if (!isSameOrigin(request, new URL(address.url).origin)) {
      return messagePage(403, 'This form came from elsewhere', [
        'Open the address of the setup itself, and go on there.',
      ]);
    }
    const form = await readForm(request, requestInfo.reserveBytes);
    const outcome = await enqueue(setup.id, async (hasWaited) => {
      const current = await setups.getByToken(token);
      if (current?.status !== 'pending') return 'gone';
      const visit = await loadVisit(dependencies, current, token, requestInfo.requestId);
      // Sent twice, a form would spend what can be used once, and then say that it is spent.
      const isDuplicate = hasWaited && visit.draft.connection !== undefined && form.get('step') === 'credentials';
      return isDuplicate ? 'stay' : runAsClient(current, requestInfo, () => handleForm(visit, form));
    });
    if (outcome === 'gone') return endedResponse();
    return outcome === 'stay' ? seeOther(address.url + pathOf(token)) : outcome;
  };

  const callback = async (request: Request, requestInfo: RequestInfo): Promise<Response> => {
    const query = new URL(request.url).searchParams;
    const state = query.get('state') ?? '';
    const setup = isToken(state)
      ? await setups.takeConsent(state, (id) => readBrowserCookie(request, id, address.url))
      : undefined;
    if (!setup || setup === 'foreign') return invalidConsentPage();
    const draft = await readDraft(setups, setup.id);
    const { consent } = draft;
    if (!consent || consent.type !== setup.type) return invalidConsentPage();
    const definition = await dependencies.definitions.of(consent.type);
    const error = await runConsent(dependencies, setup.id, async () => {
      const exchanged = await exchangeConsent(dependencies, definition, consent, query);
      if ('error' in exchanged) return exchanged.error;
      checkCredentials(definition, exchanged.credentials, {}, dependencies.policy);
      const outcome = await runAsClient(setup, requestInfo, () =>
        connect({ dependencies, setup, draft }, definition, consent.mode, exchanged.credentials, {}),
      );
      return typeof outcome === 'string' ? undefined : outcome.error;
    });
    if (error !== undefined) {
      const { mode, kind, clientId } = consent;
      const lastAttempt = { mode, kind, ...(kind === 'application' && { clientId }) };
      await saveDraft(setups, setup.id, { ...retainedDraft(draft), notice: error, lastAttempt });
    }
    return seeOther(address.url + pathOf(consent.token), { 'set-cookie': browserCookie(setup.id, null, address.url) });
  };

  const withMethods = (allowed: readonly string[], work: SetupPage['handle']): SetupPage['handle'] => {
    const allow = [...allowed, 'OPTIONS'].join(', ');
    return async (request, params, requestInfo) => {
      if (request.method === 'OPTIONS') return pageResponse(204, null, { allow });
      if (!allowed.includes(request.method)) {
        return messagePage(405, 'This address is for a browser', [`It takes ${allow}.`], { allow });
      }
      try {
        const response = await work(request, params, requestInfo);
        return request.method === 'HEAD'
          ? pageResponse(response.status, null, Object.fromEntries(response.headers))
          : response;
      } catch (error) {
        if (error instanceof FormError || error instanceof HttpError)
          return messagePage(error.status, 'That was not taken', [error.message]);
        dependencies.report(error, requestInfo.requestId);
        const lines = ['The service failed. Try again in a moment; nothing that you typed was kept.'];
        return messagePage(500, 'Something went wrong', [
          ...lines,
          `Its log says more under ${requestInfo.requestId}.`,
        ]);
      }
    };
  };

  return [
    {
      path: '/setup/style.css',
      handle: withMethods(['GET', 'HEAD'], async () =>
        pageResponse(200, stylesheet, { 'content-type': 'text/css; charset=utf-8' }),
      ),
    },
    // No HEAD: what only looks at addresses must not use up an answer.
    {
      path: '/setup/callback',
      handle: withMethods(['GET'], (request, _, requestInfo) => callback(request, requestInfo)),
    },
    {
      path: '/setup/{token}',
      handle: withMethods(['GET', 'HEAD', 'POST'], (request, { token = '' }, requestInfo) =>
        setupPage(request, token, requestInfo),
      ),
    },
  ];
}

/** Why a consent came to nothing; undefined where it did not. */
async function runConsent(
  { setups }: SetupDependencies,
  id: string,
  work: () => Promise<string | undefined>,
): Promise<string | undefined> {
  if (!(await setups.countAttempt(id))) return undefined;
  try {
    return await work();
  } catch (error) {
    if (error instanceof HttpError || ConnectorError.is(error)) return error.message;
    throw error;
  }
}
