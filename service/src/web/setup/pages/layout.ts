import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { logoSources, type PolicySources, pageResponse, policyOf } from '../headers.js';
import type { Look } from '../look.js';

/** Page markup; all embedded text is escaped. */
export type Markup = HtmlEscapedString | Promise<HtmlEscapedString>;

/** A form error and its field. */
export interface Fault {
  /** Id of the input; undefined if no input is at fault. */
  readonly input?: string | undefined;
  /** Label of the input, if the input's own message is shown next to it. */
  readonly label?: string | undefined;
  readonly message: string;
}

/** A script and the data that it reads from its own element. */
export interface PageScript {
  readonly code: string;
  readonly data: Readonly<Record<string, string>>;
  /** URL of a script that runs before it. */
  readonly url?: string | undefined;
  /** More sources for the page's content security policy. */
  readonly sources?: PolicySources | undefined;
}

export interface Page {
  readonly look: Look;
  readonly title: string;
  readonly body: Markup;
  readonly status?: number | undefined;
  /** URL of an automatic redirect. */
  readonly next?: string | undefined;
  /** A script; it redirects instead of `next`, where scripts run. */
  readonly script?: PageScript | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Renders a page as a response. */
export async function pageOf({ look, title, body, status = 200, next, script, headers = {} }: Page): Promise<Response> {
  const { texts, brand } = look;
  const accent = brand?.color === undefined ? '' : `?accent=${brand.color.slice(1)}`;
  const document = await html`<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${next === undefined ? '' : script ? html`<noscript>${refresh(next)}</noscript>` : refresh(next)}
<link rel="stylesheet" href="style.css${accent}">
</head>
<body>
<main>
${brand === undefined ? '' : html`<p class="brand">${brand.logo === undefined ? '' : html`<img src="${brand.logo}" alt="" referrerpolicy="no-referrer"> `}<b>${brand.name}</b></p>`}
${body}
</main>
${script?.url === undefined ? '' : html`<script src="${script.url}"></script>`}
${script === undefined ? '' : html`<script ${Object.entries(script.data).map(([name, value]) => html` data-${name}="${value}"`)}>${raw(script.code)}</script>`}
${brand?.supportUrl === undefined ? '' : html`<footer class="hint"><a href="${brand.supportUrl}" target="_blank" rel="noreferrer">${texts.help}</a></footer>`}
</body>
</html>`;
  const inline: PolicySources = script ? { 'script-src': [`'${digestOf(script.code)}'`] } : {};
  return pageResponse(status, String(document), {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policyOf(logoSources(brand?.logo), inline, script?.sources ?? {}),
    ...headers,
  });
}

const refresh = (url: string): Markup => html`<meta http-equiv="refresh" content="0; url=${url}">`;

const digestOf = (code: string): string => `sha256-${createHash('sha256').update(code).digest('base64')}`;

/** A page with only a message. */
export const messagePage = (
  look: Look,
  status: number,
  title: string,
  lines: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  pageOf({ look, status, title, headers, body: html`<h1>${title}</h1>${lines.map((line) => html`<p>${line}</p>`)}` });

/**
 * Error summary at the top of a page, with links to the fields; if there is only one message, it is shown only next to
 * its field.
 */
export function faultSummary({ texts }: Look, faults: readonly Fault[]): Markup | '' {
  const [first] = faults;
  if (!first) return '';
  const isAtField = faults.length === 1 && first.label !== undefined;
  const title = isAtField ? html`<a href="#${first.input}">${texts.checkField(first.label!)}</a>` : texts.problem;
  return html`<div class="problem" role="alert" tabindex="-1" autofocus aria-labelledby="problem">
<h2 id="problem">${title}</h2>
${isAtField ? '' : html`<ul>${faults.map(({ input, message }) => html`<li>${input === undefined ? message : html`<a href="#${input}">${message}</a>`}</li>`)}</ul>`}
</div>`;
}

/** Contents of an input. */
export interface Input {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly hint: Markup | string;
  readonly kind: 'secret' | 'text' | 'long' | 'date';
  readonly value?: string | undefined;
  readonly required?: boolean | undefined;
  readonly mode?: string | undefined;
}

/** A labeled input with its hint and error. */
export function inputOf(
  { texts }: Look,
  { id, name, label, hint, kind, value = '', required = false, mode }: Input,
  faults: readonly Fault[],
): Markup {
  const fault = faults.find(({ input }) => input === id);
  const described = `${id}-hint${fault ? ` ${id}-fault` : ''}`;
  const common = html`id="${id}" name="${name}" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="${described}"${fault ? html` aria-invalid="true"` : ''}${required ? html` required` : ''}${mode === undefined ? '' : html` inputmode="${mode}"`}`;
  return html`<div class="field">
<label for="${id}">${required ? label : texts.optional(label)}</label>
<div class="hint" id="${id}-hint">${hint}</div>
${fault ? html`<div class="fault" id="${id}-fault">${fault.message}</div>` : ''}
${kind === 'long' ? html`<textarea class="secret" ${common}></textarea>` : html`<input type="${kind === 'secret' ? 'password' : kind}" ${common}${kind === 'secret' ? '' : html` value="${value}"`}>`}
</div>`;
}

/** A form that includes the name of its step. */
export const formOf = (step: string, hidden: Readonly<Record<string, string>>, body: Markup): Markup =>
  html`<form method="post" novalidate>
<input type="hidden" name="step" value="${step}">
${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${body}
</form>`;

/** What the connector is for; not shown to a product's users. */
export function setupSummary(
  { texts, brand }: Look,
  setup: { readonly name: string; readonly workspaceName: string; readonly organizationName: string },
): Markup | '' {
  if (brand) return '';
  const [before, inWorkspace, ofOrganization, end] = texts.summary;
  return html`<p class="where">${before}<b>${setup.name}</b>${inWorkspace}<b>${setup.workspaceName}</b>${ofOrganization}<b>${setup.organizationName}</b>${end}</p>`;
}
