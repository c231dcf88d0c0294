import { html } from 'hono/html';
import type { SetupRow } from '../../../data/state/setups.js';
import type { Definition } from '../../../domain/connectors/definitions.js';
import type { Connected } from '../draft.js';
import { intervals, type Picked, type PickField, type Picks } from '../picks.js';
import { type Fault, formOf, inputOf, type Markup, pageOf, problem, where } from './layout.js';
import { labelOf, sentence } from './words.js';

/** What the page of picks shows. */
export interface PicksPage {
  readonly setup: SetupRow;
  readonly definition: Definition;
  readonly connected: Connected;
  readonly picks: Picks;
  readonly picked: Picked;
  readonly faults?: readonly Fault[] | undefined;
}

/** Shows whose account it is, and asks what of it is to be kept searchable. */
export function picksPage(page: PicksPage): Promise<Response> {
  const { setup, definition, connected, picks, faults = [] } = page;
  const { title } = definition.manifest;
  return pageOf({
    status: faults.length > 0 ? 422 : 200,
    title: `${faults.length > 0 ? 'Please check: ' : ''}${title} answers: choose what to keep`,
    body: html`<h1>${title} answers</h1>
${where(setup)}
${problem(faults)}
${identityOf(connected)}
${formOf(
  'picks',
  {},
  html`${picks.fields.map((field) => pickField(page, field))}
${entityFields(page)}
${intervalField(page)}
${settingFields(page)}
<button>Connect ${title}</button>`,
)}
${formOf('again', {}, html`<button class="second">Use other credentials</button>`)}`,
  });
}

function identityOf({ identity: { name, detail } }: Connected): Markup {
  const what = name === null ? html`The credentials work.` : html`Connected as <b>${name}</b>.`;
  return html`<p role="status"><span class="good">✓</span> ${what}${detail === null ? '' : html` ${sentence(detail)}`}</p>`;
}

function pickField(page: PicksPage, field: PickField): Markup {
  const { picked, connected, faults = [] } = page;
  const { name, label, help, input, list } = field;
  const value = picked.config[name];
  if (input === 'date') {
    const text = typeof value === 'string' ? value : '';
    return inputOf({ id: name, name: `${name}-typed`, label, hint: help, kind: 'date', value: text }, faults);
  }
  const { choices = [], error = null } = connected.choices[name] ?? {};
  const chosen = field.values(value);
  const beyond = chosen.filter((one) => !choices.some((choice) => choice.value === one));
  const typed = inputOf(
    {
      ...{ id: `${name}-typed`, name: `${name}-typed`, hint: help, kind: 'text', value: beyond.join(', ') },
      label: choices.length > 0 ? 'Something else' : label,
    },
    [],
  );
  const options = list?.several
    ? html`<div class="list">${choices.map((choice) => tick(name, choice.value, choice.label, chosen.includes(choice.value)))}</div>`
    : html`<select name="${name}" aria-label="${label}">${choices.map((choice) => html`<option value="${choice.value}"${chosen.includes(choice.value) ? html` selected` : ''}>${choice.label}</option>`)}</select>`;
  return group(
    name,
    label,
    html`${error === null ? '' : html`<p class="hint">The list could not be had. ${error}</p>`}
${choices.length > 0 ? options : ''}
${input === 'none' ? '' : typed}`,
    faults,
  );
}

/** Several inputs that belong together; the links of the problems go to it. */
function group(id: string, title: string, body: Markup, faults: readonly Fault[]): Markup {
  const fault = faults.find(({ input }) => input === id);
  return html`<fieldset id="${id}" tabindex="-1"${fault ? html` aria-describedby="${id}-fault" aria-invalid="true"` : ''}>
<legend>${title}</legend>
${fault ? html`<p class="fault" id="${id}-fault">${fault.message}</p>` : ''}
${body}
</fieldset>`;
}

const tick = (name: string, value: string, label: Markup | string, checked: boolean): Markup =>
  html`<label class="choice"><input type="checkbox" name="${name}" value="${value}"${checked ? html` checked` : ''}><span>${label}</span></label>`;

function entityFields({ definition, picks, picked, connected, faults = [] }: PicksPage): Markup | '' {
  if (picks.entities.length === 0) return '';
  const chosen = (picked.config.entities ?? []) as readonly string[];
  const ticks = picks.entities.map(({ name, description }) => {
    const error = connected.entities.find(({ entity }) => entity === name)?.error ?? null;
    const label = html`${labelOf(name)}<span class="hint">${description}</span>${error === null ? '' : html`<span class="fault">Cannot be read now:</span> ${error}`}`;
    return tick('entities', name, label, chosen.includes(name));
  });
  const title = `What of ${definition.manifest.title} is kept searchable`;
  return group('entities', title, html`<div class="list">${ticks}</div>`, faults);
}

function intervalField({ picks, picked }: PicksPage): Markup | '' {
  if (picks.entities.length === 0) return '';
  const { interval } = picked.config;
  const known = typeof interval === 'string' && !Object.hasOwn(intervals, interval) ? { [interval]: interval } : {};
  return html`<div class="field"><label for="interval">How often it is brought up to date</label>
<select id="interval" name="interval">${Object.entries({ ...intervals, ...known }).map(([value, label]) => html`<option value="${value}"${value === interval ? html` selected` : ''}>${label}</option>`)}</select></div>`;
}

function settingFields({ definition, picks, picked, faults = [] }: PicksPage): Markup | '' {
  if (picks.settings.length === 0) return '';
  const ticks = picks.settings.map(({ name, description }) =>
    tick(
      'settings',
      name,
      html`${definition.setup?.labels?.[name] ?? labelOf(name)}<span class="hint">${description}</span>`,
      picked.settings[name] === true,
    ),
  );
  return group('settings', 'Choices', html`${ticks}`, faults);
}
