import { html } from 'hono/html';
import type { PolicyRule } from '../../../data/state/policy-types.js';
import type { Brand, SetupRow } from '../../../data/state/setup-types.js';
import type { Definition } from '../../../domain/connectors/definitions.js';
import { denialOf } from '../../../domain/connectors/gate.js';
import { type ConnectMethod, canWrite } from '../connect-methods.js';
import type { Look } from '../look.js';
import { labelOf } from './labels.js';
import type { Markup } from './layout.js';

/** What a person agrees to. */
export interface ConsentPage {
  readonly look: Look;
  readonly setup: SetupRow;
  readonly definition: Definition;
  readonly methods: readonly ConnectMethod[];
  /** What policies let be done through the connector. */
  readonly rules: readonly PolicyRule[];
}

/** A way to connect as users of a product know it. */
export const methodName = ({ texts }: Look, { manifest, setup }: Definition, { mode, kind }: ConnectMethod): string =>
  kind === 'operator'
    ? texts.signInWith(setup?.account ?? manifest.title)
    : (texts.methodNames[mode] ?? texts.otherMethod);

/** Says what will be read, by whom, and how to withdraw it. */
export function consentText({ look, setup, definition, methods, rules }: ConsentPage, brand: Brand): Markup {
  const { texts } = look;
  const { user, renews, scopes } = setup.connect!;
  const { description, manifest } = definition;
  const permitted = description.entities.map(({ name, search, actions }) => ({
    ...{ name, search },
    effects: actions.flatMap((action) => (denialOf(rules, definition, name, action.name) ? [] : action.effect)),
  }));
  const hasWrites =
    permitted.some(({ effects }) => effects.some((effect) => effect !== 'read')) &&
    methods.some((method) => canWrite(definition, method, scopes));
  const kinds = permitted.flatMap(({ name, search, effects }) =>
    search && effects.includes('read') ? (texts.kinds[name] ?? labelOf(name)) : [],
  );
  const goal = renews ? texts.goalAgain : texts.goal;
  return html`<p>${goal(brand.name, manifest.title)}${user === undefined ? '.' : html`. ${texts.forUser(user)}`}</p>
<ul>
<li>${texts.canRead(brand.name, (kinds.length > 0 ? kinds : [manifest.title]).join(', '))}${hasWrites ? ` ${texts.canWrite(brand.name)}` : ''}</li>
<li>${texts.isStored}</li>
<li>${texts.withdraw(brand.name, manifest.title)}</li>
</ul>`;
}
