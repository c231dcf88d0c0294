import { randomBytes } from 'node:crypto';
import type { SetupRow } from '../../data/state/setup-types.js';
import type { Definition } from '../../domain/connectors/definitions.js';
import { HttpError } from '../../domain/http-error.js';
import { FormError } from '../api/form.js';
import { returnOriginOf } from '../api/return-url.js';
import { type ConnectMethod, helpFor, inputId, isMultiline } from './connect-methods.js';
import type { SetupDependencies } from './dependencies.js';
import { lookOf } from './look.js';
import { methodName } from './pages/consent-text.js';
import { labelOf } from './pages/labels.js';
import { resultAddress } from './result.js';
import { enteredValues, methodsOf, tryEntered } from './steps.js';
import { needsPicks } from './trial.js';
import { loadVisit, type SetupVisit } from './visit.js';

/** A request for a session's form, or with its values. */
interface SessionFormRequest {
  readonly dependencies: SetupDependencies;
  readonly request: Request;
  readonly token: string;
  readonly requestId: string;
  /** Undefined if there is no session with the token. */
  readonly setup: SetupRow | undefined;
  /** Reads the submitted values. */
  readonly readValues: () => Promise<URLSearchParams>;
  /** Runs work after earlier requests of the session, with its current state. */
  readonly inTurn: <T>(work: (current: SetupRow) => Promise<T>) => Promise<T>;
}

/**
 * A session's form as JSON, for a product that shows a form of its own. Only pages on the origin of the session's return
 * URL may use it. No cookies are involved: whoever submits the credentials gets the result in the same response.
 */
export async function sessionForm(form: SessionFormRequest): Promise<Response> {
  const { dependencies, request, setup } = form;
  const origin = setup?.connect?.brand && returnOriginOf(setup.connect.returnUrl);
  const registered = setup ? await dependencies.state.connectClients.origins(setup, setup.clientId) : [];
  const isOwn = origin !== undefined && origin === request.headers.get('origin') && registered.includes(origin);
  const json = (status: number, body: object): Response =>
    Response.json(body, {
      status,
      headers: {
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        vary: 'Origin',
        ...(isOwn && { 'access-control-allow-origin': origin }),
      },
    });
  if (!setup || !isOwn) {
    return json(403, { message: 'This form can be used only by a page on the origin of the session’s return URL.' });
  }
  if (setup.status !== 'pending') return json(410, { message: `The session has ended: ${setup.status}.` });
  const definition = dependencies.definitions.of(setup.type!);
  if (setup.connect?.asks || needsPicks(definition)) {
    return json(409, { message: 'The session asks what to replicate. Open its page instead.' });
  }
  try {
    return request.method === 'POST' ? await submit(form, definition, json) : json(200, describeForm(form, setup));
  } catch (error) {
    if (error instanceof FormError) return json(error.status, { message: error.message });
    if (error instanceof HttpError) return json(error.status, { message: error.message });
    throw error;
  }
}

/** The session's methods and their fields. */
function describeForm({ dependencies, request }: SessionFormRequest, setup: SetupRow): object {
  const look = lookOf(setup, request);
  const definition = dependencies.definitions.of(setup.type!);
  const { manifest } = definition;
  return {
    type: manifest.name,
    title: manifest.title,
    methods: methodsOf(dependencies, setup, definition).map((method) => ({
      mode: method.mode,
      kind: method.kind === 'fields' ? 'fields' : 'consent',
      label: methodName(look, definition, method),
      fields: method.fields.map(({ name, description, secret, required }) => {
        const { text, url } = helpFor(definition, method, name) ?? { text: description, url: undefined };
        return {
          name,
          label: labelOf(name),
          hint: text,
          help_url: url,
          secret,
          required,
          multiline: isMultiline(name),
        };
      }),
    })),
  };
}

async function submit(
  { dependencies, request, token, requestId, readValues, inTurn }: SessionFormRequest,
  definition: Definition,
  json: (status: number, body: object) => Response,
): Promise<Response> {
  const values = await readValues();
  // Binds the result to this response, as the pages' cookie binds it to a browser.
  const browser = randomBytes(32).toString('base64url');
  const { outcome, setup } = await inTurn(async (current) => {
    const visiting = { dependencies, setup: current, token, requestId, look: lookOf(current, request), browser };
    const visit = await loadVisit(visiting);
    return { outcome: await handleValues(visit, definition, values), setup: current };
  });
  if (outcome !== 'gone') return json(422, { status: 'invalid', errors: outcome });
  const ended = (await dependencies.setups.get(setup, setup.id)) ?? { ...setup, status: 'expired' as const };
  const isTheirs = await dependencies.setups.wasEndedBy(ended.id, browser);
  const address = await resultAddress(dependencies, ended, isTheirs);
  const status = address && new URL(address).searchParams.get('status');
  return status ? json(200, { status, address }) : json(410, { message: `The session has ended: ${ended.status}.` });
}

/** Errors of the submitted values, or `gone` once the session has ended. */
async function handleValues(
  visit: SetupVisit,
  definition: Definition,
  values: URLSearchParams,
): Promise<'gone' | readonly { readonly field?: string | undefined; readonly message: string }[]> {
  const { dependencies, setup } = visit;
  if (setup.status !== 'pending') return 'gone';
  if (values.get('step') === 'cancel') {
    await dependencies.setups.cancel(setup.id);
    return 'gone';
  }
  const method = methodsOf(dependencies, setup, definition).find(
    ({ mode, kind }) => kind === 'fields' && mode === values.get('mode'),
  );
  if (!method) return [{ field: 'mode', message: 'The session offers no form for this mode.' }];
  const outcome = await tryEntered(visit, definition, method, enteredValues(method, values));
  if (outcome === 'gone') return outcome;
  // The settings of the session do not suffice, although its type needs none.
  if (outcome === 'stay' || outcome instanceof Response) return [{ message: 'Open the page of the session instead.' }];
  return outcome.faults.map(({ input, message }) => ({ field: fieldOf(method, input), message }));
}

/** The field of an input of the setup page. */
const fieldOf = (method: ConnectMethod, input: string | undefined): string | undefined =>
  method.fields.find(({ name }) => inputId(method, name) === input)?.name;
