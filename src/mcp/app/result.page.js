/**
 * Shows one tool result in an MCP client: a report as a chart, hits as links, records as a table, and a write as what
 * it sends. It shows data only: it calls no tools, loads nothing, and builds its elements from texts.
 *
 * Runs in a sandboxed frame and speaks the MCP Apps protocol (2026-01-26) with the client's page around it.
 */
const main = document.querySelector('main');
const isWrite = document.body.dataset.view === 'write';
const state = { input: undefined, result: undefined, cancelled: undefined, locale: undefined };
const svgNamespace = 'http://www.w3.org/2000/svg';

/** Characters that people cannot see, or that change the order in which they see others. */
const hidden =
  /(?![\t\n\r])[\p{Cc}\p{Cf}\u115f\u1160\u17b4\u17b5\u2028\u2029\u3164\uffa0]|\u034f|[\u{e0100}-\u{e01ef}]/gu;
const escaped = (characters) =>
  characters.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const visible = (child) => (typeof child === 'string' ? child.replace(hidden, escaped) : child);

/** An element with attributes and children; texts stay texts, with hidden characters escaped. */
function element(name, attributes = {}, ...children) {
  const made =
    name === 'svg' || name === 'rect' ? document.createElementNS(svgNamespace, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== undefined).map(visible));
  return made;
}

const post = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
const waiting = new Map();

function request(method, params) {
  const id = waiting.size + 1;
  post({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const numberText = (value) => new Intl.NumberFormat(state.locale, { maximumFractionDigits: 6 }).format(value);
const cellText = (cell, { numeric }) => (numeric && cell !== '' && Number.isFinite(+cell) ? numberText(+cell) : cell);

function table({ columns, rows }) {
  const cells = (name, texts) =>
    texts.map((text, at) => element(name, { class: columns[at].numeric ? 'number' : undefined }, text));
  const head = columns.map(({ name }) => element('th', { scope: 'col' }, name));
  return element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Table' },
    element(
      'table',
      {},
      element('thead', {}, element('tr', {}, ...head)),
      element(
        'tbody',
        {},
        ...rows.map((row) =>
          element(
            'tr',
            {},
            ...cells(
              'td',
              row.map((cell, at) => cellText(cell, columns[at])),
            ),
          ),
        ),
      ),
    ),
  );
}

const dayMs = 86_400_000;

/** Days since 1970 of 20260131 or 2026-01-31; NaN for anything else. */
function dayOf(text) {
  const [, year, month, day] = /^(\d{4})-?(\d\d)-?(\d\d)$/.exec(text) ?? [];
  return Date.parse(`${year}-${month}-${day}T00:00:00Z`) / dayMs;
}

/** Bars of one measure. Days are placed by date, so that a missing one is a gap. */
function chart(view, measure) {
  const { columns, rows } = view;
  const value = (row) => +row[measure] || 0;
  const labels = columns.flatMap(({ numeric }, at) => (numeric ? [] : at));
  const labelOf = (row) => labels.map((at) => row[at]).join(' · ') || columns[measure].name;
  const days = rows.map((row) => (labels.length === 1 ? dayOf(row[labels[0]]) : Number.NaN));
  const isDaily = days.every((day) => Number.isFinite(day)) && new Set(days).size === rows.length;
  const order = rows.map((_, at) => at);
  if (isDaily) order.sort((one, other) => days[one] - days[other]);
  const first = isDaily ? days[order[0]] : 0;
  const slots = isDaily ? days[order.at(-1)] - first + 1 : rows.length;
  const [most, least] = [Math.max(0, ...rows.map(value)), Math.min(0, ...rows.map(value))];
  const span = most - least || 1;
  const bars = order.map((at, index) => {
    const amount = value(rows[at]);
    const x = isDaily ? days[at] - first : index;
    const y = ((most - Math.max(0, amount)) / span) * 100;
    return element('rect', { x: x + 0.1, width: 0.8, y, height: (Math.abs(amount) / span) * 100 });
  });
  const read = element('output');
  const slider = element('input', { type: 'range', min: 0, max: rows.length - 1, value: rows.length - 1 });
  slider.setAttribute('aria-label', 'Bar');
  const select = () => {
    const row = rows[order[slider.value]];
    const text = `${labelOf(row)}: ${cellText(row[measure], columns[measure])}`;
    for (const [index, bar] of bars.entries()) bar.setAttribute('class', index === +slider.value ? 'selected' : '');
    slider.setAttribute('aria-valuetext', text);
    read.textContent = text;
  };
  slider.addEventListener('input', select);
  for (const [index, bar] of bars.entries()) {
    bar.addEventListener('pointerenter', () => {
      slider.value = index;
      select();
    });
  }
  select();
  const picture = { viewBox: `0 0 ${slots} 100`, preserveAspectRatio: 'none', 'aria-hidden': 'true' };
  const missing = slots - rows.length;
  return element(
    'figure',
    {},
    element('figcaption', {}, `${columns[measure].name}, up to ${numberText(most)}`),
    element('svg', picture, ...bars),
    slider,
    read,
    missing > 0
      ? element('p', { class: 'note' }, `${missing} ${missing === 1 ? 'day has' : 'days have'} no row.`)
      : undefined,
  );
}

function report(view) {
  const measures = view.columns.flatMap(({ name, numeric }, at) => (numeric ? [{ name, at }] : []));
  const place = element('div', {}, chart(view, measures[0].at));
  const options = measures.map(({ name, at }) => element('option', { value: at }, name));
  const choice = element(
    'select',
    { onchange: ({ target }) => place.replaceChildren(chart(view, +target.value)) },
    ...options,
  );
  return [
    measures.length > 1 ? element('label', {}, 'Show ', choice) : undefined,
    place,
    element('details', {}, element('summary', {}, `Table, ${view.rows.length} rows`), table(view)),
  ];
}

/** A link that the client opens; other addresses than web pages are not links. */
function link(title, url) {
  if (!/^https?:\/\//i.test(url ?? '')) return element('strong', {}, title);
  const open = (event) => {
    event.preventDefault();
    request('ui/open-link', { url });
  };
  return element('a', { href: url, rel: 'noreferrer', onclick: open }, title);
}

const hits = ({ hits: all }) =>
  element(
    'ol',
    {},
    ...all.map(({ title, url, facts, text }) =>
      element(
        'li',
        {},
        link(title, url),
        element('div', { class: 'note' }, facts),
        text ? element('p', {}, text) : undefined,
      ),
    ),
  );

const shown = (value) => (typeof value === 'string' ? value : JSON.stringify(value, undefined, 1));

/** What a write sends, one parameter a row. */
function write({ connector, entity, action, params = {} }) {
  const fields = Object.entries(params).flatMap(([name, value]) => [
    element('dt', {}, name),
    element('dd', {}, shown(value)),
  ]);
  return element(
    'section',
    {},
    element('h2', {}, [connector, `${entity}.${action}`].filter(Boolean).join(': ')),
    element('dl', {}, ...fields),
  );
}

function writes() {
  const { calls, intent, ...single } = state.input ?? {};
  const { writes: outcomes, notes = [] } = viewIn(state.result) ?? {};
  const list = Array.isArray(calls) ? calls : single.entity ? [single] : [];
  const pending = state.cancelled === undefined ? 'Not sent yet. Your client or your company decides.' : 'Cancelled.';
  const said = outcomes ? outcomes.map((outcome) => outcome.text) : [pending];
  const parts = list.flatMap((call, at) => [
    write(call),
    outcomes?.length > 1 ? statusLine(said[at] ?? '') : undefined,
  ]);
  return [
    element('h1', {}, list.length > 1 ? `${list.length} changes` : 'Change'),
    ...(outcomes?.length > 1 ? [] : [statusLine(said[0])]),
    ...notesOf(notes),
    intent ? element('p', { class: 'note' }, `Reason from the agent: ${intent}`) : undefined,
    ...parts,
  ];
}

const statusLine = (text) => element('p', { role: 'status' }, text);
const notesOf = (notes) => notes.map((note) => element('p', { class: 'note' }, note));
const viewIn = (result) => result?._meta?.['agent-connectors/view'];

/** The text for the model, if there is nothing else to show. */
const plain = ({ content = [] }) => element('pre', { tabindex: '0' }, content.map(({ text = '' }) => text).join('\n'));

function content() {
  if (isWrite) return writes();
  if (state.cancelled !== undefined) return [statusLine('Cancelled.')];
  if (!state.result) return [statusLine('Loading …')];
  const view = viewIn(state.result);
  if (!view) return [plain(state.result)];
  const body = { report, hits, table }[view.kind]?.(view) ?? plain(state.result);
  return [element('h1', {}, view.title), ...notesOf(view.notes), ...[body].flat()];
}

function render() {
  main.replaceChildren(...content().filter((child) => child !== undefined));
}

function applyContext({ theme, locale, styles } = {}) {
  const root = document.documentElement;
  if (theme) root.style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (name.startsWith('--') && value) root.style.setProperty(name, value);
  }
  if (locale) {
    state.locale = Intl.NumberFormat.supportedLocalesOf([locale])[0];
    render();
  }
}

const handlers = {
  'ui/notifications/tool-input': ({ arguments: input }) => Object.assign(state, { input }),
  'ui/notifications/tool-result': (result) => Object.assign(state, { result }),
  'ui/notifications/tool-cancelled': ({ reason = '' }) => Object.assign(state, { cancelled: reason }),
  'ui/notifications/host-context-changed': applyContext,
};

addEventListener('message', ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== '2.0') return;
  const { id, method, params = {}, result } = data;
  if (method === undefined) {
    waiting.get(id)?.(result ?? {});
    return;
  }
  if (handlers[method]) {
    handlers[method](params);
    render();
  }
  if (id === undefined) return;
  const isKnown = method === 'ping' || method === 'ui/resource-teardown';
  post(isKnown ? { id, result: {} } : { id, error: { code: -32601, message: 'Method not found' } });
});

render();
new ResizeObserver(() => {
  const { width, height } = document.documentElement.getBoundingClientRect();
  post({ method: 'ui/notifications/size-changed', params: { width: Math.ceil(width), height: Math.ceil(height) } });
}).observe(document.documentElement);
request('ui/initialize', {
  appInfo: { name: 'agent-connectors', version: '1' },
  appCapabilities: { availableDisplayModes: ['inline'] },
  protocolVersion: '2026-01-26',
}).then(({ hostContext }) => {
  applyContext(hostContext);
  post({ method: 'ui/notifications/initialized' });
});
