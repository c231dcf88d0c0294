import { html } from 'hono/html';
import type { SetupRow } from '../../../data/state/setup-types.js';
import type { Definition } from '../../../domain/connectors/definitions.js';
import type { Look } from '../look.js';
import { type Fault, faultSummary, formOf, pageOf, setupSummary } from './layout.js';

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
    ({ manifest }) =>
      html`<button class="second" name="type" value="${manifest.name}">${manifest.title}<span class="hint">${manifest.description}</span></button>`,
  )}</div>`,
)}`,
  });
