import { html } from 'hono/html';
import { type ConnectMethod, helpFor, inputId, isMultiline, isOperators } from '../connect-methods.js';
import { type ConsentPage, consentText, methodName } from './consent-text.js';
import { labelOf } from './labels.js';
import { type Fault, faultSummary, formOf, type Input, inputOf, type Markup, pageOf, setupSummary } from './layout.js';

/** Contents of the credentials page. */
export interface CredentialsPage extends ConsentPage {
  /** The redirect URI for the vendor. */
  readonly redirect: string;
  readonly isTypeChosenByUser: boolean;
  /** The attempted method and its non-secret values. */
  readonly attempt?: { readonly method: ConnectMethod; readonly values: Readonly<Record<string, string>> } | undefined;
  /** The mode whose tokens were renewed in the last attempt. */
  readonly renewedMode?: string | undefined;
  readonly faults?: readonly Fault[] | undefined;
}

/** Asks for credentials, with all available methods. */
export function credentialsPage(page: CredentialsPage): Promise<Response> {
  const { look, setup, definition, methods, isTypeChosenByUser, attempt, faults = [] } = page;
  const { texts } = look;
  const { title } = definition.manifest;
  const heading = setup.connect?.renews ? texts.reconnect(title) : texts.connect(title);
  return pageOf({
    look,
    status: faults.length > 0 ? 422 : 200,
    title: faults.length > 0 ? texts.pleaseCheck(heading) : heading,
    body: html`<h1>${heading}</h1>
${setupSummary(look, setup)}
${faultSummary(look, faults)}
${setup.connect?.brand ? consentText(page, setup.connect.brand) : html`<p>${texts.handling(title)}</p>`}
${methods.map((method, index) =>
  index === 0
    ? methodForm(page, method)
    : html`<details${isSame(method, attempt?.method) ? html` open` : ''}><summary>${titleOf(page, method)}</summary>
${methodForm(page, method)}</details>`,
)}
${isTypeChosenByUser ? formOf('other', {}, html`<button class="second">${texts.chooseOther}</button>`) : ''}
${setup.connect ? formOf('cancel', {}, html`<button class="second">${texts.cancel}</button>`) : ''}`,
  });
}

const isSame = (a: ConnectMethod, b: ConnectMethod | undefined) => a.mode === b?.mode && a.kind === b.kind;

function titleOf({ look, setup, definition }: CredentialsPage, method: ConnectMethod): string {
  const { texts } = look;
  const { mode, kind } = method;
  const { title } = definition.manifest;
  if (setup.connect?.brand || isOperators(method)) return texts.instead(methodName(look, definition, method));
  if (kind === 'application') {
    return texts.signInWithOwn(
      definition.setup?.account ?? title,
      mode === 'oauth' ? texts.oauthApplication : mode.replaceAll('_', ' '),
    );
  }
  return mode === 'oauth' ? texts.refreshToken(labelOf(mode)) : labelOf(mode);
}

function methodForm(
  { look, setup, definition, redirect, attempt, renewedMode, faults = [] }: CredentialsPage,
  method: ConnectMethod,
): Markup {
  const { texts } = look;
  const { title } = definition.manifest;
  const { mode, kind, fields, description } = method;
  const values = isSame(method, attempt?.method) ? (attempt?.values ?? {}) : {};
  const needsConsent = kind !== 'fields';
  const hasRenewedTokens = !needsConsent && renewedMode === mode;
  const inputs = fields.map((field) => {
    const { text, url } = helpFor(definition, method, field.name) ?? { text: field.description, url: undefined };
    const mayBeEmpty = hasRenewedTokens && field.secret;
    const words = mayBeEmpty ? texts.kept(text) : text;
    const hint =
      url === undefined
        ? words
        : html`${words} <a href="${url}" target="_blank" rel="noreferrer">${texts.vendorHelp(title)}</a>`;
    const input: Input = {
      id: inputId(method, field.name),
      name: field.name,
      label: labelOf(field.name),
      hint,
      kind: isMultiline(field.name) ? 'long' : field.secret ? 'secret' : 'text',
      required: field.required && !mayBeEmpty,
      value: field.secret ? undefined : values[field.name],
      mode: inputModes[field.name],
    };
    return inputOf(look, input, faults);
  });
  return formOf(
    needsConsent ? 'authorize' : 'credentials',
    { mode, kind },
    html`${
      needsConsent
        ? html`<p>${texts.agreeThere(title)}</p>`
        : setup.connect?.brand ||
            (fields.length === 1 && mode === 'api_key' && helpFor(definition, method, fields[0]!.name))
          ? ''
          : html`<p class="hint">${description}</p>`
    }
${kind === 'application' ? html`<p class="hint">${texts.registerAddress}<code>${redirect}</code></p>` : ''}
${inputs}
<button>${needsConsent ? (kind === 'picker' ? methodName(look, definition, method) : texts.signInWith(definition.setup?.account ?? title)) : texts.tryAndConnect}</button>`,
  );
}

const inputModes: Readonly<Record<string, string>> = { base_url: 'url', subject: 'email' };
