import { html } from 'hono/html';
import type { SetupRow } from '../../../data/state/setup-types.js';
import type { Definition } from '../../../domain/connectors/definitions.js';
import { type Fault, faultSummary, formOf, pageOf, setupSummary } from './layout.js';

/** Asks which kind of account is to be connected. */
export const typePage = (setup: SetupRow, definitions: readonly Definition[], faults: readonly Fault[] = []) =>
  pageOf({
    status: faults.length > 0 ? 422 : 200,
    title: 'What would you like to connect?',
    body: html`<h1>What would you like to connect?</h1>
${setupSummary(setup)}
${faultSummary(faults)}
${formOf(
  'type',
  {},
  html`<div class="types">${definitions.map(
    ({ manifest }) =>
      html`<button class="second" name="type" value="${manifest.name}">${manifest.title}<span class="hint">${manifest.description}</span></button>`,
  )}</div>`,
)}`,
  });
