import { html } from 'hono/html';
import type { Workspace } from '../../data/state/rows.js';
import { isDocumentAddress } from '../../domain/oauth/metadata-document.js';
import { redirectKind } from '../../domain/oauth/redirects.js';
import { lookOf } from '../setup/look.js';
import { formOf, inputOf, type Markup, messagePage, pageOf } from '../setup/pages/layout.js';
import type { AuthorizationRequest } from './authorization-request.js';

/** These pages are in English and have no product branding. */
const look = lookOf(undefined);

/** An app may be waiting for this page in a popup; the default policy would disconnect the two. */
const headers = { 'cross-origin-opener-policy': 'unsafe-none' };

/** Describes where a redirect URI leads. */
export function destinationOf(uri: string): string {
  const kind = redirectKind(uri);
  const url = new URL(uri);
  if (kind === 'loopback') return `a program on this computer (${url.host})`;
  return kind === 'app' ? `the program on this computer that handles ${url.protocol} links` : url.host;
}

/** A page with only a message. */
export const noticePage = (
  status: number,
  title: string,
  line: string,
  added: Readonly<Record<string, string>> = {},
): Promise<Response> => messagePage(look, status, title, [line], added);

/** Redirects within the service so that browsers send the session cookie. */
export const continuePage = (query: string): Promise<Response> =>
  pageOf({
    look,
    title: 'Connect an app',
    next: `consent${query}`,
    headers,
    body: html`<h1>Connect an app</h1><p>If nothing happens, <a href="consent${query}">continue</a>.</p>`,
  });

/** An invalid request. The app is notified only if the user follows the link. */
export const refusedPage = (status: number, message: string, back?: { readonly url: string; readonly to: string }) =>
  pageOf({
    look,
    title: 'The app cannot be connected',
    status,
    headers,
    body: html`<h1>The app cannot be connected</h1>
<p class="fault">${message}</p>
${back ? html`<p><a href="${back.url}" rel="noreferrer">Go back to ${back.to}</a></p>` : ''}`,
  });

/** Asks for a client id and secret. */
export const signInPage = (fault?: string): Promise<Response> =>
  pageOf({
    look,
    title: 'Sign in',
    status: fault === undefined ? 200 : 401,
    headers,
    body: html`<h1>Sign in</h1>
<p>An app wants to use your connectors. Sign in to see which app it is and decide whether to allow it.</p>
${fault === undefined ? '' : html`<div class="problem" role="alert"><h2>Sign-in failed</h2><p>${fault}</p></div>`}
${formOf(
  'sign-in',
  {},
  html`${inputOf(look, { id: 'client_id', name: 'client_id', label: 'Client ID', hint: 'Use the credentials that you use for the console.', kind: 'text', required: true }, [])}
${inputOf(look, { id: 'client_secret', name: 'client_secret', label: 'Client secret', hint: 'Printed on first start or by create-client.', kind: 'secret', required: true }, [])}
<button type="submit">Sign in</button>`,
)}
${formOf('cancel', {}, html`<button type="submit" class="second">Cancel</button>`)}
<p class="hint">Have a login link? Open it in this browser, then reload this page.</p>`,
  });

/** Contents of the consent page. */
export interface ConsentPage {
  readonly authorization: AuthorizationRequest;
  /** Name of the signed-in client. */
  readonly signedInAs: string;
  readonly csrf: string;
  readonly workspace: Workspace;
  readonly organizationName: string;
  /** Other workspaces and their page URLs. */
  readonly others: ReadonlyArray<{ readonly name: string; readonly url: string }>;
  /** Connectors with their vendor's name. */
  readonly connectors: ReadonlyArray<{ readonly id: string; readonly name: string; readonly title: string }>;
  readonly offersWrite: boolean;
  readonly fault?: string | undefined;
}

/** Asks the user what an app may access. */
export function consentPage(page: ConsentPage): Promise<Response> {
  const { app, redirectUri } = page.authorization;
  const { workspace } = page;
  return pageOf({
    look,
    title: `Allow ${app.name} to access ${page.organizationName}?`,
    status: page.fault === undefined ? 200 : 422,
    headers,
    body: html`<h1>Allow <bdi>${app.name}</bdi> to access ${page.organizationName}?</h1>
<p class="where">Signed in as <b>${page.signedInAs}</b>.</p>
${page.fault === undefined ? '' : html`<div class="problem" role="alert" tabindex="-1" autofocus><h2>Nothing was granted yet</h2><p>${page.fault}</p></div>`}
${appFields(page)}
<p>Allow access only if you just requested it yourself and you trust <b>${destinationOf(redirectUri)}</b>.</p>
${formOf(
  'decide',
  { csrf: page.csrf, workspace: `${workspace.organizationId} ${workspace.id}` },
  html`<fieldset><legend>Workspace</legend>
<p><b>${workspace.name}</b> in the organization <b>${page.organizationName}</b></p>
${page.others.length === 0 ? '' : html`<details><summary>Choose another workspace</summary><ul>${page.others.map(({ name, url }) => html`<li><a href="${url}">${name}</a></li>`)}</ul></details>`}
</fieldset>
<fieldset><legend>What the app can do</legend>
<p>Read and search data from the connectors you choose, subject to your workspace’s policies.</p>
${page.offersWrite ? html`<label class="choice"><input type="checkbox" name="write" value="1"><span>Also change data<span class="hint">create, update and delete, subject to your workspace’s policies</span></span></label>` : html`<p class="hint">It cannot change data.</p>`}
</fieldset>
${connectorFields(page)}
<button type="submit" name="decision" value="allow" class="settle">Allow</button>
<button type="submit" name="decision" value="deny" class="second deny">Deny</button>`,
)}
<p class="hint">You can revoke this in the console at any time, under Access.</p>
${formOf('sign-out', {}, html`<button type="submit" class="second">Sign in as someone else</button>`)}`,
  });
}

/** Information about the app; its name is unverified. */
function appFields({ authorization: { app, redirectUri } }: ConsentPage): Markup {
  const source = isDocumentAddress(app.id)
    ? html`published at <b>${new URL(app.id).host}</b>`
    : html`provided by the app, not verified`;
  const isCustom = redirectKind(redirectUri) === 'app';
  return html`<ul>
<li>Name: <b><bdi>${app.name}</bdi></b> (${source})</li>
<li>Sends you back to: <b>${destinationOf(redirectUri)}</b></li>
</ul>
${isCustom ? html`<p class="problem">Any program on this computer can claim links of this kind. Allow it only if you know which program is asking.</p>` : ''}`;
}

function connectorFields({ connectors }: ConsentPage): Markup {
  if (connectors.length === 0)
    return html`<input type="hidden" name="connectors" value="all">
<p class="hint">The workspace has no connectors yet. The app can use any added later.</p>`;
  return html`<fieldset><legend>Connectors</legend>
<label class="choice"><input type="radio" name="connectors" value="all"><span>All connectors, including ones added later</span></label>
<label class="choice"><input type="radio" name="connectors" value="some"><span>Only these:</span></label>
<div class="list">${connectors.map(({ id, name, title }) => html`<label class="choice"><input type="checkbox" name="connector" value="${id}"><span>${name}${title === name ? '' : html`<span class="hint">${title}</span>`}</span></label>`)}</div>
</fieldset>`;
}

/** Sends the browser back to the app with the decision. */
export const returnPage = (title: string, url: string, redirectUri: string): Promise<Response> =>
  pageOf({
    look,
    title,
    next: url,
    headers,
    body: html`<h1>${title}</h1>
<p>If nothing happens, <a href="${url}" rel="noreferrer">go back to ${destinationOf(redirectUri)}</a>.</p>
<p>You can close this page afterwards.</p>`,
  });
