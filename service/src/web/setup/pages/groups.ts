import { html } from 'hono/html';
import { sentence } from '../../../common/sentence.js';
import type { VerifiedConnection } from '../draft.js';
import type { Look } from '../look.js';
import type { Fault, Markup } from './layout.js';

/** Whose account is connected. */
export function identityOf(
  { texts }: Look,
  { identity: { name, detail } }: Pick<VerifiedConnection, 'identity'>,
): Markup {
  const what = name === null ? html`${texts.credentialsWork}` : html`${texts.connectedAs}<b>${name}</b>.`;
  return html`<p role="status"><span class="good">✓</span> ${what}${detail === null ? '' : html` ${sentence(detail)}`}</p>`;
}

/** A group of related inputs, the target of error links. */
export function group(id: string, title: string, body: Markup, faults: readonly Fault[]): Markup {
  const fault = faults.find(({ input }) => input === id);
  return html`<fieldset id="${id}" tabindex="-1"${fault ? html` aria-describedby="${id}-fault" aria-invalid="true"` : ''}>
<legend>${title}</legend>
${fault ? html`<p class="fault" id="${id}-fault">${fault.message}</p>` : ''}
${body}
</fieldset>`;
}

/** A labeled checkbox. */
export const checkbox = (name: string, value: string, label: Markup | string, checked: boolean): Markup =>
  html`<label class="choice"><input type="checkbox" name="${name}" value="${value}"${checked ? html` checked` : ''}><span>${label}</span></label>`;
