import type { AuthDescription } from 'agent-connectors';
import { authorizableModes } from 'agent-connectors/setup';
import type { ConnectSession } from '../../data/state/setup-types.js';
import type { Definition } from '../../domain/connectors/definitions.js';
import type { OAuthClients } from './oauth-clients.js';

/** Whether a method uses the operator's OAuth application. */
export const isOperators = ({ kind }: Pick<ConnectMethod, 'kind'>): boolean => kind === 'operator' || kind === 'picker';

/** A way to connect an account: by entering credentials or by giving consent on the vendor's page. */
export interface ConnectMethod {
  readonly mode: string;
  /**
   * `operator`: the operator's OAuth application; `picker`: the same, limited to what the user chooses in the vendor's
   * picker; `application`: the user's own; `fields`: no consent.
   */
  readonly kind: 'operator' | 'picker' | 'application' | 'fields';
  readonly description: string;
  readonly fields: AuthDescription['fields'];
}

const applicationFields = ['client_id', 'client_secret'];

/** A type's connect methods, simplest first. */
export function connectMethods({ manifest, description, setup }: Definition, clients: OAuthClients): ConnectMethod[] {
  const authorizable = authorizableModes(manifest);
  const consentModes = description.auth.filter(({ mode }) => authorizable.includes(mode));
  const enteredModes = description.auth.filter(({ mode }) => !authorizable.includes(mode));
  const own = Object.hasOwn(clients, manifest.name) ? clients[manifest.name] : undefined;
  const hasPicker = setup?.picker !== undefined && own?.developerKey !== undefined;
  return [
    ...(own ? consentModes.map((auth): ConnectMethod => ({ ...auth, kind: 'operator', fields: [] })) : []),
    ...(hasPicker ? consentModes.map((auth): ConnectMethod => ({ ...auth, kind: 'picker', fields: [] })) : []),
    ...enteredModes.map((auth): ConnectMethod => ({ ...auth, kind: 'fields' })),
    ...consentModes.map(
      (auth): ConnectMethod => ({
        ...auth,
        kind: 'application',
        fields: auth.fields.filter(({ name }) => applicationFields.includes(name)),
      }),
    ),
    ...consentModes.map((auth): ConnectMethod => ({ ...auth, kind: 'fields' })),
  ];
}

/**
 * The methods offered to a product's users: the requested ones, or by default the easiest one, unless only an
 * administrator at the vendor has such credentials. Users are never asked for an OAuth application. The vendor's picker
 * is offered if the session requests only its scope.
 */
export function sessionMethods(
  definition: Definition,
  clients: OAuthClients,
  { methods: names, scopes }: Pick<ConnectSession, 'methods' | 'scopes'>,
): ConnectMethod[] {
  const all = connectMethods(definition, clients);
  const consentModes = new Set(all.filter(({ kind }) => kind === 'application').map(({ mode }) => mode));
  const onlyChosen = scopes?.every((scope) => scope === definition.setup?.picker?.scope) ?? false;
  const own = onlyChosen && all.some(({ kind }) => kind === 'picker') ? 'picker' : 'operator';
  const offered = all.filter(({ kind, mode }) => kind === own || (kind === 'fields' && !consentModes.has(mode)));
  return names === undefined
    ? offered.slice(0, 1).filter(({ mode }) => mode !== 'service_account')
    : offered.filter(({ mode }) => names.includes(mode));
}

/** Whether credentials from a method can change data, judging by the OAuth scope names. */
export const canWrite = (
  { manifest }: Definition,
  { mode, kind }: ConnectMethod,
  scopes: readonly string[] = manifest.auth[mode]?.oauth?.authorize?.scopes ?? [],
): boolean => kind === 'fields' || !scopes.every((scope) => readScope.test(scope));

/** As in `read`, `drive.readonly` and `api:calls:read:basic`, but not `readwrite`. */
const readScope = /(?:^|[^a-z])read(?:only)?(?:[^a-z]|$)/i;

/** Where a user gets the value of a field, if the type tells more than the field's description. */
export const helpFor = ({ setup }: Definition, { mode }: Pick<ConnectMethod, 'mode'>, field: string) =>
  setup?.help?.[`${mode}.${field}`];

/** Whether the value of a field has several lines, such as a key file. */
export const isMultiline = (field: string): boolean => field.endsWith('_json');

/** The id of a method's input. */
export const inputId = ({ mode, kind }: Pick<ConnectMethod, 'mode' | 'kind'>, field: string): string =>
  `${kind}-${mode}-${field}`.replaceAll('_', '-');
