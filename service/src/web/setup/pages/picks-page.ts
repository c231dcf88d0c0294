import { html } from 'hono/html';
import type { SetupRow } from '../../../data/state/setup-types.js';
import type { Definition } from '../../../domain/connectors/definitions.js';
import type { VerifiedConnection } from '../draft.js';
import { intervals, type PickField, type PickOptions, type Selection } from '../picks.js';
import { labelOf, sentence } from './labels.js';
import { type Fault, faultSummary, formOf, inputOf, type Markup, pageOf, setupSummary } from './layout.js';

/** What the page of picks shows. */
export interface PicksPage {
  readonly setup: SetupRow;
  readonly definition: Definition;
  readonly connection: VerifiedConnection;
  readonly options: PickOptions;
  readonly selection: Selection;
  readonly faults?: readonly Fault[] | undefined;
}

/** Shows whose account it is, and asks what of it is to be kept searchable. */
export function picksPage(page: PicksPage): Promise<Response> {
  const { setup, definition, connection, options, faults = [] } = page;
  const { title } = definition.manifest;
  return pageOf({
    status: faults.length > 0 ? 422 : 200,
    title: `${faults.length > 0 ? 'Please check: ' : ''}${title} answers: choose what to keep`,
    body: html`<h1>${title} answers</h1>
${setupSummary(setup)}
${faultSummary(faults)}
${identityOf(connection)}
${formOf(
  'picks',
  {},
  html`${options.fields.map((field) => pickField(page, field))}
${entityFields(page)}
${intervalField(page)}
${settingFields(page)}
<button>Connect ${title}</button>`,
)}
${formOf('again', {}, html`<button class="second">Use other credentials</button>`)}`,
  });
}

function identityOf({ identity: { name, detail } }: VerifiedConnection): Markup {
  const what = name === null ? html`The credentials work.` : html`Connected as <b>${name}</b>.`;
  return html`<p role="status"><span class="good">✓</span> ${what}${detail === null ? '' : html` ${sentence(detail)}`}</p>`;
}

function pickField(page: PicksPage, field: PickField): Markup {
  const { selection, connection, faults = [] } = page;
  const { name, label, help, input, list } = field;
  const value = selection.config[name];
  if (input === 'date') {
    const text = typeof value === 'string' ? value : '';
    return inputOf({ id: name, name: `${name}-typed`, label, hint: help, kind: 'date', value: text }, faults);
  }
  const { choices = [], error = null } = connection.choices[name] ?? {};
  const chosen = field.values(value);
  const customValues = chosen.filter((one) => !choices.some((choice) => choice.value === one));
  const customInput = inputOf(
    {
      ...{ id: `${name}-typed`, name: `${name}-typed`, hint: help, kind: 'text', value: customValues.join(', ') },
      label: choices.length > 0 ? 'Something else' : label,
    },
    [],
  );
  const choiceList = list?.several
    ? html`<div class="list">${choices.map((choice) => checkbox(name, choice.value, choice.label, chosen.includes(choice.value)))}</div>`
    : html`<select name="${name}" aria-label="${label}">${choices.map((choice) => html`<option value="${choice.value}"${chosen.includes(choice.value) ? html` selected` : ''}>${choice.label}</option>`)}</select>`;
  return group(
    name,
    label,
    html`${error === null ? '' : html`<p class="hint">The list could not be had. ${error}</p>`}
${choices.length > 0 ? choiceList : ''}
${input === 'none' ? '' : customInput}`,
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

const checkbox = (name: string, value: string, label: Markup | string, checked: boolean): Markup =>
  html`<label class="choice"><input type="checkbox" name="${name}" value="${value}"${checked ? html` checked` : ''}><span>${label}</span></label>`;

function entityFields({ definition, options, selection, connection, faults = [] }: PicksPage): Markup | '' {
  if (options.entities.length === 0) return '';
  const chosen = (selection.config.entities ?? []) as readonly string[];
  const ticks = options.entities.map(({ name, description }) => {
    const error = connection.entities.find(({ entity }) => entity === name)?.error ?? null;
    const label = html`${labelOf(name)}<span class="hint">${description}</span>${error === null ? '' : html`<span class="fault">Cannot be read now:</span> ${error}`}`;
    return checkbox('entities', name, label, chosen.includes(name));
  });
  const title = `What of ${definition.manifest.title} is kept searchable`;
  return group('entities', title, html`<div class="list">${ticks}</div>`, faults);
}

function intervalField({ options, selection }: PicksPage): Markup | '' {
  if (options.entities.length === 0) return '';
  const { interval } = selection.config;
  const known = typeof interval === 'string' && !Object.hasOwn(intervals, interval) ? { [interval]: interval } : {};
  return html`<div class="field"><label for="interval">How often it is brought up to date</label>
<select id="interval" name="interval">${Object.entries({ ...intervals, ...known }).map(([value, label]) => html`<option value="${value}"${value === interval ? html` selected` : ''}>${label}</option>`)}</select></div>`;
}

function settingFields({ definition, options, selection, faults = [] }: PicksPage): Markup | '' {
  if (options.settings.length === 0) return '';
  const ticks = options.settings.map(({ name, description }) =>
    checkbox(
      'settings',
      name,
      html`${definition.setup?.labels?.[name] ?? labelOf(name)}<span class="hint">${description}</span>`,
      selection.settings[name] === true,
    ),
  );
  return group('settings', 'Choices', html`${ticks}`, faults);
}
