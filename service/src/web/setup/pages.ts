import { ConnectorError } from 'agent-connectors';
import type { SetupRow } from '../../data/state/setups.js';
import { actingAs } from '../../domain/audit/deeds.js';
import { checkCredentials } from '../../domain/connectors/credentials.js';
import { Refusal } from '../../domain/refusal.js';
import { consentAnswer } from './consent.js';
import { keepDraft, lasting, readDraft } from './draft.js';
import { FormRefusal, readForm } from './form.js';
import { answer, browserCookie, browserOf, isOwn, seeOther } from './headers.js';
import { gonePage, strayPage, unknownPage } from './pages/ends.js';
import { messagePage } from './pages/layout.js';
import type { SetupParts } from './parts.js';
import { connect, show, take, visitOf } from './steps.js';
import { stylesheet } from './stylesheet.js';
import { turns } from './turns.js';

/** One address of the setup pages. */
export interface SetupPage {
  /** With parameters in braces. */
  readonly path: string;
  answer(request: Request, params: Readonly<Record<string, string>>, asking: Asking): Promise<Response>;
}

/** Which request it is, and where it came from. */
export interface Asking {
  readonly requestId: string;
  readonly address: string | undefined;
}

const pathOf = (token: string) => `/setup/${token}`;
const isToken = (text: string) => /^[\w-]{43}$/.test(text);

/** The pages on which a person connects an account. */
export function setupPages(parts: SetupParts): SetupPage[] {
  const { setups, address } = parts;

  const inTurn = turns();

  /** A person does it, on behalf of the program that began the setup. */
  const inNameOf = <T>({ clientId }: SetupRow, { requestId, address }: Asking, work: () => T): T =>
    actingAs({ clientId, via: 'setup', requestId, address }, work);

  const setupPage = async (request: Request, token: string, asking: Asking): Promise<Response> => {
    const setup = isToken(token) ? await setups.withToken(token) : undefined;
    if (!setup) return unknownPage();
    const gone = async () => gonePage((await setups.withToken(token)) ?? { ...setup, status: 'expired' });
    if (setup.status !== 'pending') return gone();
    if (request.method !== 'POST') return show(await visitOf(parts, setup, token, asking.requestId));
    if (!isOwn(request, new URL(address.url).origin)) {
      return messagePage(403, 'This form came from elsewhere', [
        'Open the address of the setup itself, and go on there.',
      ]);
    }
    const form = await readForm(request);
    const outcome = await inTurn(setup.id, async (hasWaited) => {
      const current = await setups.withToken(token);
      if (current?.status !== 'pending') return 'gone';
      const visit = await visitOf(parts, current, token, asking.requestId);
      // Sent twice, a form would spend what can be used once, and then say that it is spent.
      const isTwice = hasWaited && visit.draft.connected !== undefined && form.get('step') === 'credentials';
      return isTwice ? 'stay' : inNameOf(current, asking, () => take(visit, form));
    });
    if (outcome === 'gone') return gone();
    return outcome === 'stay' ? seeOther(address.url + pathOf(token)) : outcome;
  };

  const callback = async (request: Request, asking: Asking): Promise<Response> => {
    const query = new URL(request.url).searchParams;
    const state = query.get('state') ?? '';
    const setup = isToken(state)
      ? await setups.answered(state, (id) => browserOf(request, id, address.url))
      : undefined;
    if (!setup || setup === 'foreign') return strayPage();
    const draft = await readDraft(setups, setup.id);
    const { asked } = draft;
    if (!asked || asked.type !== setup.type) return strayPage();
    const definition = await parts.definitions.of(asked.type);
    const error = await consented(parts, setup.id, async () => {
      const answered = await consentAnswer(parts, definition, asked, query);
      if ('error' in answered) return answered.error;
      checkCredentials(definition, answered.credentials, {}, parts.policy);
      const outcome = await inNameOf(setup, asking, () =>
        connect({ parts, setup, draft }, definition, asked.mode, answered.credentials, {}),
      );
      return typeof outcome === 'string' ? undefined : outcome.error;
    });
    if (error !== undefined) {
      const { mode, kind, clientId } = asked;
      const tried = { mode, kind, ...(kind === 'application' && { clientId }) };
      await keepDraft(setups, setup.id, { ...lasting(draft), notice: error, tried });
    }
    return seeOther(address.url + pathOf(asked.token), { 'set-cookie': browserCookie(setup.id, null, address.url) });
  };

  const methods = (allowed: readonly string[], work: SetupPage['answer']): SetupPage['answer'] => {
    const allow = [...allowed, 'OPTIONS'].join(', ');
    return async (request, params, asking) => {
      if (request.method === 'OPTIONS') return answer(204, null, { allow });
      if (!allowed.includes(request.method)) {
        return messagePage(405, 'This address is for a browser', [`It takes ${allow}.`], { allow });
      }
      try {
        const response = await work(request, params, asking);
        return request.method === 'HEAD'
          ? answer(response.status, null, Object.fromEntries(response.headers))
          : response;
      } catch (error) {
        if (error instanceof FormRefusal) return messagePage(error.status, 'That was not taken', [error.message]);
        parts.report(error, asking.requestId);
        const lines = ['The service failed. Try again in a moment; nothing that you typed was kept.'];
        return messagePage(500, 'Something went wrong', [...lines, `Its log says more under ${asking.requestId}.`]);
      }
    };
  };

  return [
    {
      path: '/setup/style.css',
      answer: methods(['GET', 'HEAD'], async () =>
        answer(200, stylesheet, { 'content-type': 'text/css; charset=utf-8' }),
      ),
    },
    // No HEAD: what only looks at addresses must not use up an answer.
    { path: '/setup/callback', answer: methods(['GET'], (request, _, asking) => callback(request, asking)) },
    {
      path: '/setup/{token}',
      answer: methods(['GET', 'HEAD', 'POST'], (request, { token = '' }, asking) => setupPage(request, token, asking)),
    },
  ];
}

/** Why a consent came to nothing; undefined where it did not. */
async function consented(
  { setups }: SetupParts,
  id: string,
  work: () => Promise<string | undefined>,
): Promise<string | undefined> {
  if (!(await setups.count(id))) return undefined;
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal || ConnectorError.is(error)) return error.message;
    throw error;
  }
}
