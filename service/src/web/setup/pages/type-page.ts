import { html } from 'hono/html';
import type { SetupRow } from '../../../data/state/setup-types.js';
import type { Definition } from '../../../domain/connectors/definitions.js';
import { type Mark, markOf } from '../../../domain/connectors/mark.js';
import type { Look } from '../look.js';
import { type Fault, faultSummary, formOf, type Markup, pageOf, setupSummary } from './layout.js';

/** Asks for the type of account. */
export const typePage = (
  look: Look,
  setup: SetupRow,
  definitions: readonly Definition[],
  faults: readonly Fault[] = [],
) =>
  pageOf({
    look,
    status: faults.length > 0 ? 422 : 200,
    title: look.texts.whatToConnect,
    body: html`<h1>${look.texts.whatToConnect}</h1>
${setupSummary(look, setup)}
${faultSummary(look, faults)}
${formOf(
  'type',
  {},
  html`<div class="types">${definitions.map(
    (definition) =>
      html`<button class="second" name="type" value="${definition.manifest.name}">${tileOf(markOf(definition))}<span>${definition.manifest.title}<span class="hint">${definition.manifest.description}</span></span></button>`,
  )}</div>`,
)}`,
  });

/** Uses attributes because the page's policy allows no inline styles. */
const tileOf = ({ letters, color }: Mark): Markup =>
  html`<svg viewBox="0 0 36 36" aria-hidden="true"><rect width="36" height="36" rx="8" fill="${color}"/><text x="18" y="24" fill="#fff" text-anchor="middle">${letters}</text></svg>`;
