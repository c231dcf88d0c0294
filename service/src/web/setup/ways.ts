import type { AuthDescription } from 'agent-connectors';
import { authorizableModes } from 'agent-connectors/setup';
import type { Definition } from '../../domain/connectors/definitions.js';
import type { OAuthClients } from './oauth-clients.js';

/** One way to connect an account: by what is typed, or by agreeing on the vendor's page. */
export interface Way {
  readonly mode: string;
  /** `operator`: the application is the operator's; `application`: the person's; `fields`: nothing is agreed to. */
  readonly kind: 'operator' | 'application' | 'fields';
  readonly description: string;
  readonly fields: AuthDescription['fields'];
}

const ofApplication = ['client_id', 'client_secret'];

/** Every way to connect a type, the easiest first. */
export function waysOf({ manifest, description }: Definition, clients: OAuthClients): Way[] {
  const authorizable = authorizableModes(manifest);
  const agreeing = description.auth.filter(({ mode }) => authorizable.includes(mode));
  const typed = description.auth.filter(({ mode }) => !authorizable.includes(mode));
  const hasOwn = Object.hasOwn(clients, manifest.name);
  return [
    ...(hasOwn ? agreeing.map((auth): Way => ({ ...auth, kind: 'operator', fields: [] })) : []),
    ...typed.map((auth): Way => ({ ...auth, kind: 'fields' })),
    ...agreeing.map(
      (auth): Way => ({
        ...auth,
        kind: 'application',
        fields: auth.fields.filter(({ name }) => ofApplication.includes(name)),
      }),
    ),
    ...agreeing.map((auth): Way => ({ ...auth, kind: 'fields' })),
  ];
}

/** The id of a way's input. */
export const inputId = ({ mode, kind }: Pick<Way, 'mode' | 'kind'>, field: string): string =>
  `${kind}-${mode}-${field}`.replaceAll('_', '-');
