import type { Choice, Picker } from 'agent-connectors/setup';
import { html } from 'hono/html';
import type { SetupRow } from '../../../data/state/setup-types.js';
import type { Look } from '../look.js';
import { checkbox, group, identityOf } from './groups.js';
import { type Fault, faultSummary, formOf, pageOf, setupSummary } from './layout.js';

/** Contents of the page on which a user chooses files in the vendor's own picker. */
export interface PickerPage {
  readonly look: Look;
  readonly setup: SetupRow;
  readonly title: string;
  readonly connection: Parameters<typeof identityOf>[1];
  readonly picker: Picker;
  readonly chosen: readonly Choice[];
  /** For the vendor's script; they belong to the user and to the operator. */
  readonly keys: { readonly access_token: string; readonly app_id: string; readonly developer_key: string };
  /** The origin that replaces the vendor's, with the script's URL there. */
  readonly elsewhere?: { readonly origin: string; readonly script: string } | undefined;
  readonly faults: readonly Fault[];
}

/** Opens the picker, and submits what has been chosen. */
const codeOf = ({ open }: Picker) => `
const settings = { ...document.currentScript.dataset };
const button = document.getElementById('open');
const show = ${open};
if (typeof gapi === 'object') {
  document.getElementById('no-script').hidden = true;
  button.disabled = false;
}
button.addEventListener('click', () => show({
  access_token: settings.token, app_id: settings.app, developer_key: settings.key,
  locale: document.documentElement.lang, title: button.textContent,
}, (ids) => {
  const form = button.form;
  form.elements.namedItem('ids').value = ids.join(',');
  form.requestSubmit();
}));
`;

/** The only page that loads a vendor's script, under a policy of its own. */
export function pickerPage(page: PickerPage): Promise<Response> {
  const { look, setup, title, connection, picker, chosen, keys, elsewhere, faults } = page;
  const { texts } = look;
  const heading = texts.answers(title);
  const atOrigin = (source: string) => (source.startsWith('https:') && elsewhere ? elsewhere.origin : source);
  const policy = Object.entries(picker.policy).map(
    ([name, sources]) => [name, [...new Set(sources.map(atOrigin))]] as const,
  );
  return pageOf({
    look,
    status: faults.length > 0 ? 422 : 200,
    title: faults.length > 0 ? texts.pleaseCheck(heading) : heading,
    script: {
      code: codeOf(picker),
      data: { token: keys.access_token, app: keys.app_id, key: keys.developer_key },
      url: elsewhere?.script ?? picker.script,
      sources: Object.fromEntries(policy),
    },
    // Keys that are restricted to websites are compared with the referrer's origin.
    headers: { 'referrer-policy': 'strict-origin-when-cross-origin' },
    body: html`<h1>${heading}</h1>
${setupSummary(look, setup)}
${faultSummary(look, faults)}
${identityOf(look, connection)}
${formOf(
  'choose',
  { ids: '' },
  html`<p class="hint">${picker.note}</p>
<p id="no-script" class="hint">${texts.needsScript}</p>
<button type="button" id="open" class="second" disabled>${texts.chooseFiles}</button>`,
)}
${formOf(
  'picks',
  {},
  html`${group(
    picker.field,
    texts.chosenFiles,
    chosen.length === 0
      ? html`<p class="hint">${texts.noFiles}</p>`
      : html`<div class="list">${chosen.map(({ value, label }) => checkbox(picker.field, value, label, true))}</div>`,
    faults,
  )}
<button>${texts.connect(title)}</button>`,
)}
${formOf('again', {}, html`<button class="second">${texts.otherCredentials}</button>`)}
${setup.connect ? formOf('cancel', {}, html`<button class="second">${texts.cancel}</button>`) : ''}`,
  });
}
