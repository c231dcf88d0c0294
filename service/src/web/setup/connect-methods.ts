import type { AuthDescription } from 'agent-connectors';
import { authorizableModes } from 'agent-connectors/setup';
import type { Definition } from '../../domain/connectors/definitions.js';
import type { OAuthClients } from './oauth-clients.js';

/** One way to connect an account: by what is typed, or by agreeing on the vendor's page. */
export interface ConnectMethod {
  readonly mode: string;
  /** `operator`: the application is the operator's; `application`: the person's; `fields`: nothing is agreed to. */
  readonly kind: 'operator' | 'application' | 'fields';
  readonly description: string;
  readonly fields: AuthDescription['fields'];
}

const applicationFields = ['client_id', 'client_secret'];

/** Every way to connect a type, the easiest first. */
export function connectMethods({ manifest, description }: Definition, clients: OAuthClients): ConnectMethod[] {
  const authorizable = authorizableModes(manifest);
  const consentModes = description.auth.filter(({ mode }) => authorizable.includes(mode));
  const enteredModes = description.auth.filter(({ mode }) => !authorizable.includes(mode));
  const hasOwn = Object.hasOwn(clients, manifest.name);
  return [
    ...(hasOwn ? consentModes.map((auth): ConnectMethod => ({ ...auth, kind: 'operator', fields: [] })) : []),
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

/** The id of a way's input. */
export const inputId = ({ mode, kind }: Pick<ConnectMethod, 'mode' | 'kind'>, field: string): string =>
  `${kind}-${mode}-${field}`.replaceAll('_', '-');
