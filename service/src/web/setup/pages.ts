import { randomBytes } from 'node:crypto';
import { ConnectorError } from 'agent-connectors';
import { isColor } from 'agent-connectors/wire';
import { tokenScopes } from '../../data/state/rows.js';
import type { SetupRow } from '../../data/state/setup-types.js';
import { runAs } from '../../domain/audit/record-audit.js';
import { checkCredentials } from '../../domain/connectors/instances.js';
import { HttpError } from '../../domain/http-error.js';
import { FormError, readForm } from '../api/form.js';
import { finishSession } from './complete.js';
import { exchangeConsent } from './consent.js';
import type { SetupDependencies } from './dependencies.js';
import { retainedDraft, saveDraft } from './draft.js';
import {
  browserCookie,
  isSameOrigin,
  keepOpener,
  pageResponse,
  readBrowserCookie,
  seeOther,
  sessionSeconds,
} from './headers.js';
import { brandStyles, type Look, lookOf } from './look.js';
import { messagePage } from './pages/layout.js';
import { endedPage, invalidConsentPage, sessionEndPage, unknownPage } from './pages/outcome-pages.js';
import { resultAddress } from './result.js';
import { sessionForm } from './session-form.js';
import { connect, handleForm, showStep } from './steps.js';
import { stylesheet } from './stylesheet.js';
import { loadVisit } from './visit.js';

/** The path and handler of a setup page. */
export interface SetupPage {
  /** Path with parameters in braces. */
  readonly path: string;
  handle(request: Request, params: Readonly<Record<string, string>>, requestInfo: RequestInfo): Promise<Response>;
}

/** Id and origin of a request. */
export interface RequestInfo {
  readonly requestId: string;
  readonly address: string | undefined;
  /** Reserves memory for the request body, or rejects it. */
  readonly reserveBytes: (bytes: number) => void;
}

const pathOf = (token: string) => `/setup/${token}`;
const isToken = (text: string) => /^[\w-]{43}$/.test(text);

/** The pages where a user connects an account. */
export function setupPages(dependencies: SetupDependencies): SetupPage[] {
  const { setups, address } = dependencies;

  const enqueue = keyedQueue();

  /** Done by a user on behalf of the client that started the setup. */
  const runAsClient = <T>({ clientId }: SetupRow, { requestId, address }: RequestInfo, work: () => T): T =>
    runAs({ clientId, scopes: tokenScopes, via: 'setup', requestId, address }, work);

  /** The page of a finished setup. `isAnswer` is true if it responds to the last step. */
  const endedResponse = async (
    look: Look,
    setup: SetupRow,
    browser: string | undefined,
    isAnswer: boolean,
  ): Promise<Response> => {
    const current = (await setups.get(setup, setup.id)) ?? { ...setup, status: 'expired' as const };
    if (!current.connect) return endedPage(look, current);
    const title = current.type === null ? '' : dependencies.definitions.of(current.type).manifest.title;
    const isTheirs = browser !== undefined && (await setups.wasEndedBy(current.id, browser));
    const url = await resultAddress(dependencies, current, isTheirs);
    return sessionEndPage(look, current, { title, url, goesBack: isAnswer });
  };

  const setupPage = async (request: Request, token: string, requestInfo: RequestInfo): Promise<Response> => {
    const setup = isToken(token) ? await setups.getByToken(token) : undefined;
    if (!setup) return unknownPage(lookOf(setup, request));
    const response = await stepPage(request, setup, token, requestInfo);
    return setup.connect?.brand ? keepOpener(response) : response;
  };

  const stepPage = async (
    request: Request,
    setup: SetupRow,
    token: string,
    requestInfo: RequestInfo,
  ): Promise<Response> => {
    const look = lookOf(setup, request);
    const { requestId } = requestInfo;
    const browser = readBrowserCookie(request, setup.id, address.url);
    const isUnknownBrowser = setup.connect?.brand !== undefined && browser === undefined;
    if (setup.status !== 'pending') return endedResponse(look, setup, browser, false);
    const visiting = { dependencies, token, requestId, look, browser };
    if (request.method !== 'POST') {
      const page = await showStep(await loadVisit({ ...visiting, setup }));
      if (isUnknownBrowser) {
        const cookie = browserCookie(setup.id, randomBytes(32).toString('base64url'), address.url, sessionSeconds);
        page.headers.append('set-cookie', cookie);
      }
      return page;
    }
    if (isUnknownBrowser || !isSameOrigin(request, new URL(address.url).origin)) {
      return messagePage(look, 403, look.texts.fromElsewhere, [look.texts.openItself]);
    }
    const form = await readForm(request, requestInfo.reserveBytes);
    const outcome = await enqueue(setup.id, async (hasWaited) => {
      const current = await setups.getByToken(token);
      if (current?.status !== 'pending') return 'gone';
      const visit = await loadVisit({ ...visiting, setup: current });
      // A form submitted twice would consume single-use credentials and then report them as used.
      const isDuplicate = hasWaited && visit.draft.connection !== undefined && form.get('step') === 'credentials';
      return isDuplicate ? 'stay' : runAsClient(current, requestInfo, () => handleForm(visit, form));
    });
    if (outcome === 'gone') return endedResponse(look, setup, browser, true);
    return outcome === 'stay' ? seeOther(address.url + pathOf(token)) : outcome;
  };

  const withoutCookie = ({ id }: SetupRow, response: Response): Response => {
    response.headers.append('set-cookie', browserCookie(id, null, address.url));
    return response;
  };

  const callback = async (request: Request, requestInfo: RequestInfo): Promise<Response> => {
    const query = new URL(request.url).searchParams;
    const state = query.get('state') ?? '';
    const setup = isToken(state)
      ? await setups.takeConsent(state, (id) => readBrowserCookie(request, id, address.url))
      : undefined;
    const look = lookOf(setup === 'foreign' ? undefined : setup, request);
    if (!setup || setup === 'foreign') return invalidConsentPage(look);
    const browser = readBrowserCookie(request, setup.id, address.url);
    const visiting = { dependencies, setup, look, browser, requestId: requestInfo.requestId };
    const { draft } = await loadVisit({ ...visiting, token: '' });
    const { consent } = draft;
    if (!consent || consent.type !== setup.type) return invalidConsentPage(look);
    const definition = dependencies.definitions.of(consent.type);
    let ended = false;
    let usesPicker = false;
    const error = await runConsent(dependencies, setup.id, async () => {
      const exchanged = await exchangeConsent(dependencies, definition, consent, query, look);
      if ('error' in exchanged) return exchanged.error;
      checkCredentials(definition, exchanged.credentials, {}, dependencies.addressPolicy);
      const visit = { ...visiting, draft, token: consent.token };
      return runAsClient(setup, requestInfo, async () => {
        usesPicker = consent.kind === 'picker';
        const outcome = await connect(visit, definition, consent.mode, exchanged.credentials, {}, usesPicker);
        if (outcome === 'stay') ended = (await finishSession(visit, definition)) === 'gone';
        return typeof outcome === 'string' ? undefined : outcome.error;
      });
    });
    if (error !== undefined) {
      const { mode, kind, clientId } = consent;
      const lastAttempt = { mode, kind, ...(kind === 'application' && { clientId }) };
      await saveDraft(setups, setup.id, { ...retainedDraft(draft), notice: error, lastAttempt });
    }
    if (ended && setup.connect) {
      const response = await endedResponse(look, setup, browser, true);
      return setup.connect.brand ? keepOpener(response) : withoutCookie(setup, response);
    }
    const response = seeOther(address.url + pathOf(consent.token));
    if (setup.connect?.brand) return keepOpener(response);
    return usesPicker && error === undefined ? response : withoutCookie(setup, response);
  };

  const withMethods = (allowed: readonly string[], work: SetupPage['handle']): SetupPage['handle'] => {
    const allow = [...allowed, 'OPTIONS'].join(', ');
    return async (request, params, requestInfo) => {
      const look = lookOf(undefined, request);
      const { texts } = look;
      if (request.method === 'OPTIONS') return pageResponse(204, null, { allow });
      if (!allowed.includes(request.method)) {
        return messagePage(look, 405, texts.forBrowsers, [texts.takes(allow)], { allow });
      }
      try {
        const response = await work(request, params, requestInfo);
        return request.method === 'HEAD'
          ? pageResponse(response.status, null, Object.fromEntries(response.headers))
          : response;
      } catch (error) {
        if (error instanceof FormError) return messagePage(look, error.status, texts.notTaken, [texts[error.text]]);
        if (error instanceof HttpError) return messagePage(look, error.status, texts.notTaken, [error.message]);
        dependencies.report(error, requestInfo.requestId);
        return messagePage(look, 500, texts.wentWrong, [texts.serviceFailed, texts.logSays(requestInfo.requestId)]);
      }
    };
  };

  return [
    {
      path: '/setup/style.css',
      handle: withMethods(['GET', 'HEAD'], async (request) => {
        const color = `#${new URL(request.url).searchParams.get('accent') ?? ''}`;
        const styles = isColor(color) ? stylesheet + brandStyles(color) : stylesheet;
        return pageResponse(200, styles, { 'content-type': 'text/css; charset=utf-8' });
      }),
    },
    // No HEAD: link previews must not consume a response.
    {
      path: '/setup/callback',
      handle: withMethods(['GET'], (request, _, requestInfo) => callback(request, requestInfo)),
    },
    {
      path: '/setup/{token}/form',
      handle: withMethods(['GET', 'POST'], async (request, { token = '' }, requestInfo) => {
        const setup = isToken(token) ? await setups.getByToken(token) : undefined;
        return sessionForm({
          dependencies,
          request,
          token,
          setup,
          requestId: requestInfo.requestId,
          readValues: () => readForm(request, requestInfo.reserveBytes),
          inTurn: (work) =>
            enqueue(setup!.id, async () => {
              const current = (await setups.getByToken(token)) ?? { ...setup!, status: 'expired' as const };
              return runAsClient(current, requestInfo, () => work(current));
            }),
        });
      }),
    },
    {
      path: '/setup/{token}',
      handle: withMethods(['GET', 'HEAD', 'POST'], (request, { token = '' }, requestInfo) =>
        setupPage(request, token, requestInfo),
      ),
    },
  ];
}

/** Why consent failed; undefined if it succeeded. */
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

/** A queue per id that runs work sequentially and tells each caller whether it had to wait. */
function keyedQueue(): <T>(id: string, work: (hasWaited: boolean) => Promise<T>) => Promise<T> {
  const queues = new Map<string, Promise<unknown>>();
  return (id, work) => {
    const before = queues.get(id);
    const turn = before ? before.then(() => work(true)) : work(false);
    const tail = turn.catch(() => {});
    queues.set(id, tail);
    void tail.then(() => {
      if (queues.get(id) === tail) queues.delete(id);
    });
    return turn;
  };
}
