import { html } from 'hono/html';
import type { Brand, ConnectSession } from '../../../data/state/setup-types.js';
import type { Definition } from '../../../domain/connectors/definitions.js';
import type { ConnectMethod } from '../connect-methods.js';
import type { Look } from '../look.js';
import { labelOf } from './labels.js';
import type { Markup } from './layout.js';

/** Name of a connect method for a product's users. */
export const methodName = ({ texts }: Look, { manifest, setup }: Definition, { mode, kind }: ConnectMethod): string =>
  kind === 'operator'
    ? texts.signInWith(setup?.account ?? manifest.title)
    : (texts.methodNames[mode] ?? texts.otherMethod);

/** Says what will be read, by whom, and how to revoke access. */
export function consentText({ texts }: Look, brand: Brand, { user }: ConnectSession, definition: Definition): Markup {
  const { description, manifest } = definition;
  const hasWrites = description.entities.some(({ actions }) => actions.some(({ effect }) => effect !== 'read'));
  const kinds = description.entities.filter(({ search }) => search).map(({ name }) => labelOf(name));
  return html`<p>${texts.goal(brand.name, manifest.title)}${user === undefined ? '.' : html`. ${texts.forUser(user)}`}</p>
<ul>
<li>${texts.canRead(brand.name, (kinds.length > 0 ? kinds : [manifest.title]).join(', '))}${hasWrites ? ` ${texts.canWrite(brand.name)}` : ''}</li>
<li>${texts.isStored}</li>
<li>${texts.withdraw(brand.name, manifest.title)}</li>
</ul>`;
}
