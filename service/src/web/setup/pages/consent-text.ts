import { html } from 'hono/html';
import type { PolicyRule } from '../../../data/state/policy-types.js';
import type { Brand, SetupRow } from '../../../data/state/setup-types.js';
import type { Definition } from '../../../domain/connectors/definitions.js';
import { denialOf } from '../../../domain/connectors/gate.js';
import { type ConnectMethod, canWrite } from '../connect-methods.js';
import type { Look } from '../look.js';
import { entityLabel } from './labels.js';
import type { Markup } from './layout.js';

/** What a user agrees to. */
export interface ConsentPage {
  readonly look: Look;
  readonly setup: SetupRow;
  readonly definition: Definition;
  readonly methods: readonly ConnectMethod[];
  /** What policies allow through the connector. */
  readonly rules: readonly PolicyRule[];
}

/** A connect method, as shown to a product's users. */
export const methodName = ({ texts }: Look, { manifest, setup }: Definition, { mode, kind }: ConnectMethod): string =>
  kind === 'picker'
    ? texts.chooseIn(setup?.account ?? manifest.title)
    : kind === 'operator'
      ? texts.signInWith(setup?.account ?? manifest.title)
      : (texts.methodNames[mode] ?? texts.otherMethod);

/** Explains what will be read, by whom, and how to withdraw consent. */
export function consentText({ look, setup, definition, methods, rules }: ConsentPage, brand: Brand): Markup {
  const { texts } = look;
  const { user, renews, scopes } = setup.connect!;
  const { description, manifest } = definition;
  const permitted = description.entities.map(({ name, actions }) => ({
    name,
    effects: actions.flatMap((action) => (denialOf(rules, definition, name, action.name) ? [] : action.effect)),
  }));
  const labels = (isNamed: (entity: (typeof permitted)[number]) => boolean) =>
    [...new Set(permitted.filter(isNamed).map(({ name }) => entityLabel(texts, name)))].join(', ');
  const read = labels(({ effects }) => effects.includes('read'));
  const written = methods.some((method) => canWrite(definition, method, scopes))
    ? labels(({ effects }) => effects.some((effect) => effect !== 'read'))
    : '';
  const goal = renews ? texts.goalAgain : texts.goal;
  return html`<p>${goal(brand.name, manifest.title)}${user === undefined ? '.' : html`. ${texts.forUser(user)}`}</p>
<ul>
<li>${texts.canRead(brand.name, read || manifest.title)}</li>
${written === '' ? '' : html`<li>${texts.canWrite(brand.name, written)}</li>`}
${methods.some(({ kind }) => kind === 'picker') ? html`<li>${texts.onlyChosen}</li>` : ''}
<li>${texts.isStored}</li>
<li>${texts.withdraw(brand.name, manifest.title)}</li>
</ul>`;
}
