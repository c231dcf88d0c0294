import { html } from 'hono/html';
import type { SetupRow } from '../../../data/state/setup-types.js';
import type { Definition } from '../../../domain/connectors/definitions.js';
import { type ConnectMethod, inputId } from '../connect-methods.js';
import { labelOf } from './labels.js';
import { type Fault, faultSummary, formOf, type Input, inputOf, type Markup, pageOf, setupSummary } from './layout.js';

/** What the page of credentials shows. */
export interface CredentialsPage {
  readonly setup: SetupRow;
  readonly definition: Definition;
  readonly methods: readonly ConnectMethod[];
  /** Where the vendor sends the browser back to. */
  readonly redirect: string;
  readonly isTypeChosenByUser: boolean;
  /** The way that was tried, with what of it is no secret. */
  readonly attempt?: { readonly method: ConnectMethod; readonly values: Readonly<Record<string, string>> } | undefined;
  /** The mode of which renewed tokens are kept from the last try. */
  readonly renewedMode?: string | undefined;
  readonly faults?: readonly Fault[] | undefined;
}

/** Asks for credentials, in any of the ways there are. */
export function credentialsPage(page: CredentialsPage): Promise<Response> {
  const { setup, definition, methods, isTypeChosenByUser, attempt, faults = [] } = page;
  const { title } = definition.manifest;
  const open = attempt?.method ?? methods[0];
  return pageOf({
    status: faults.length > 0 ? 422 : 200,
    title: `${faults.length > 0 ? 'Please check: ' : ''}Connect ${title}`,
    body: html`<h1>Connect ${title}</h1>
${setupSummary(setup)}
${faultSummary(faults)}
<p>What you give here is sent to ${title} to try it, then stored encrypted. It is never shown again.</p>
${methods.map((method) =>
  methods.length === 1
    ? methodForm(page, method)
    : html`<details${isSame(method, open) ? html` open` : ''}><summary>${titleOf(method, title)}</summary>
${methodForm(page, method)}</details>`,
)}
${isTypeChosenByUser ? formOf('other', {}, html`<button class="second">Choose something else</button>`) : ''}`,
  });
}

const isSame = (a: ConnectMethod, b: ConnectMethod | undefined) => a.mode === b?.mode && a.kind === b.kind;

function titleOf({ mode, kind }: ConnectMethod, title: string): string {
  if (kind === 'operator') return `Sign in to ${title}`;
  if (kind === 'application') return `Sign in to ${title} with your own ${inText(mode)}`;
  return mode === 'oauth' ? `${labelOf(mode)} with a refresh token you have` : labelOf(mode);
}

const inText = (mode: string) => (mode === 'oauth' ? 'OAuth application' : mode.replaceAll('_', ' '));

function methodForm(
  { definition, redirect, attempt, renewedMode, faults = [] }: CredentialsPage,
  method: ConnectMethod,
): Markup {
  const { title } = definition.manifest;
  const { mode, kind, fields, description } = method;
  const helpFor = (field: string) => definition.setup?.help?.[`${mode}.${field}`];
  const values = isSame(method, attempt?.method) ? (attempt?.values ?? {}) : {};
  const needsConsent = kind !== 'fields';
  const hasRenewedTokens = !needsConsent && renewedMode === mode;
  const inputs = fields.map((field) => {
    const { text, url } = helpFor(field.name) ?? { text: field.description, url: undefined };
    const mayBeEmpty = hasRenewedTokens && field.secret;
    const words = mayBeEmpty ? `Kept from your last try: leave it empty to use that. ${text}` : text;
    const hint =
      url === undefined
        ? words
        : html`${words} <a href="${url}" target="_blank" rel="noreferrer">What ${title} says of it (new tab)</a>`;
    const input: Input = {
      ...{ id: inputId(method, field.name), name: field.name, label: labelOf(field.name), hint },
      kind: field.name.endsWith('_json') ? 'long' : field.secret ? 'secret' : 'text',
      required: field.required && !mayBeEmpty,
      value: field.secret ? undefined : values[field.name],
      mode: inputModes[field.name],
    };
    return inputOf(input, faults);
  });
  return formOf(
    needsConsent ? 'authorize' : 'credentials',
    { mode, kind },
    html`${
      needsConsent
        ? html`<p>You go on to a page of ${title}, agree there, and come back.</p>`
        : fields.length === 1 && mode === 'api_key' && helpFor(fields[0]!.name)
          ? ''
          : html`<p class="hint">${description}</p>`
    }
${
  kind === 'application'
    ? html`<p class="hint">Register this address with the application, letter by letter: <code>${redirect}</code></p>`
    : ''
}
${inputs}
<button>${needsConsent ? `Go on to ${title}` : 'Try and connect'}</button>`,
  );
}

const inputModes: Readonly<Record<string, string>> = { base_url: 'url', subject: 'email' };
