import { html } from 'hono/html';
import type { SetupRow } from '../../../data/state/setup-types.js';
import type { Definition } from '../../../domain/connectors/definitions.js';
import type { VerifiedConnection } from '../draft.js';
import type { Look } from '../look.js';
import type { PickField, PickOptions, Selection } from '../picks.js';
import { checkbox, group, identityOf } from './groups.js';
import { entityLabel, labelOf } from './labels.js';
import { type Fault, faultSummary, formOf, inputOf, type Markup, pageOf, setupSummary } from './layout.js';

/** Contents of the selection page. */
export interface PicksPage {
  readonly look: Look;
  readonly setup: SetupRow;
  readonly definition: Definition;
  readonly connection: VerifiedConnection;
  readonly options: PickOptions;
  readonly selection: Selection;
  readonly faults?: readonly Fault[] | undefined;
}

/** Shows the account and asks what to keep searchable. */
export function picksPage(page: PicksPage): Promise<Response> {
  const { look, setup, definition, connection, options, faults = [] } = page;
  const { texts } = look;
  const { title } = definition.manifest;
  return pageOf({
    look,
    status: faults.length > 0 ? 422 : 200,
    title: faults.length > 0 ? texts.pleaseCheck(texts.answersTitle(title)) : texts.answersTitle(title),
    body: html`<h1>${texts.answers(title)}</h1>
${setupSummary(look, setup)}
${faultSummary(look, faults)}
${identityOf(look, connection)}
${formOf(
  'picks',
  {},
  html`${options.fields.map((field) => pickField(page, field))}
${entityFields(page)}
${intervalField(page)}
${settingFields(page)}
<button>${texts.connect(title)}</button>`,
)}
${formOf('again', {}, html`<button class="second">${texts.otherCredentials}</button>`)}
${setup.connect ? formOf('cancel', {}, html`<button class="second">${texts.cancel}</button>`) : ''}`,
  });
}

function pickField(page: PicksPage, field: PickField): Markup {
  const { look, selection, connection, faults = [] } = page;
  const { name, label, help, input, list } = field;
  const value = selection.config[name];
  if (input === 'date') {
    const text = typeof value === 'string' ? value : '';
    return inputOf(look, { id: name, name: `${name}-typed`, label, hint: help, kind: 'date', value: text }, faults);
  }
  const { choices = [], error = null } = connection.choices[name] ?? {};
  const chosen = field.values(value);
  const customValues = chosen.filter((one) => !choices.some((choice) => choice.value === one));
  const customInput = inputOf(
    look,
    {
      id: `${name}-typed`,
      name: `${name}-typed`,
      hint: help,
      kind: 'text',
      value: customValues.join(', '),
      label: choices.length > 0 ? (look.texts.others[name] ?? look.texts.somethingElse) : label,
    },
    [],
  );
  const choiceList = list?.several
    ? boxes(
        look,
        choices.map((choice) => checkbox(name, choice.value, choice.label, chosen.includes(choice.value))),
      )
    : html`<select name="${name}" aria-label="${label}">${choices.map((choice) => html`<option value="${choice.value}"${chosen.includes(choice.value) ? html` selected` : ''}>${choice.label}</option>`)}</select>`;
  return group(
    name,
    label,
    html`${field.required === undefined ? '' : html`<p class="hint">${look.texts.chooseSome}</p>`}
${error === null ? '' : html`<p class="hint">${look.texts.noList} ${error}</p>`}
${choices.length > 0 ? choiceList : ''}
${input === 'none' ? '' : customInput}`,
    faults,
  );
}

/** Longer lists scroll in a box, with a note that says so. */
const mostInView = 20;

const boxes = ({ texts }: Look, ticks: readonly Markup[]): Markup =>
  html`${ticks.length > mostInView ? html`<p class="hint">${texts.scroll(ticks.length)}</p>` : ''}
<div class="list${ticks.length > mostInView ? ' long' : ''}">${ticks}</div>`;

function entityFields({ look, options, selection, connection, faults = [] }: PicksPage): Markup | '' {
  if (options.entities.length === 0) return '';
  const chosen = (selection.config.entities ?? []) as readonly string[];
  const ticks = options.entities.map(({ name, description }) => {
    const error = connection.entities.find(({ entity }) => entity === name)?.error ?? null;
    const label = html`${entityLabel(look.texts, name)}<span class="hint">${description}</span>${error === null ? '' : html`<span class="fault">${look.texts.cannotBeRead}</span> ${error}`}`;
    return checkbox('entities', name, label, chosen.includes(name));
  });
  return group('entities', look.texts.keptSearchable, boxes(look, ticks), faults);
}

function intervalField({ look: { texts }, options, selection }: PicksPage): Markup | '' {
  const { intervals } = texts;
  if (options.entities.length === 0) return '';
  const { interval } = selection.config;
  const known = typeof interval === 'string' && !Object.hasOwn(intervals, interval) ? { [interval]: interval } : {};
  return html`<div class="field"><label for="interval">${texts.howOften}</label>
<select id="interval" name="interval">${Object.entries({ ...intervals, ...known }).map(([value, label]) => html`<option value="${value}"${value === interval ? html` selected` : ''}>${label}</option>`)}</select></div>`;
}

function settingFields({ look, definition, options, selection, faults = [] }: PicksPage): Markup | '' {
  if (options.settings.length === 0) return '';
  const ticks = options.settings.map(({ name, description }) =>
    checkbox(
      'settings',
      name,
      html`${definition.setup?.labels?.[name] ?? labelOf(name)}<span class="hint">${description}</span>`,
      selection.settings[name] === true,
    ),
  );
  return group('settings', look.texts.choices, html`${ticks}`, faults);
}
