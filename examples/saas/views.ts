/** The pages, as HTML. Inserted values are escaped. */
import type { HostedConnector } from 'agent-connectors/hosted';
import { html, raw } from 'hono/html';
import { accountTypes } from './agent.js';
import type { User } from './connections.js';

/** A part of a page. */
export type Html = ReturnType<typeof html>;

const style = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }
  li { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: .5rem 0; }
  li > span { flex: 1; } ul { padding: 0; } form, label { display: inline-block; }
  button, input { font: inherit; padding: .3rem .7rem; } pre { white-space: pre-wrap; overflow-wrap: anywhere; }
`;

/** A page with the script that connects accounts; the nonce allows its style and import map. */
export const page = (nonce: string | undefined, body: Html) => html`<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <meta name="viewport" content="width=device-width" />
  <title>Lantern</title>
  <style nonce="${nonce}">${raw(style)}</style>
  <script nonce="${nonce}" type="importmap">{ "imports": { "agent-connectors/connect": "/connect.js" } }</script>
  <script type="module" src="/page.js"></script>
  <main>
    <h1>Lantern</h1>
    <p id="alert" role="alert"></p>
    ${body}
  </main>
</html>`;

/** Content of the page that the browser returns to. */
export const returnPage = html`<p>Finishing…</p><p><a href="/">Back to your accounts</a></p>`;

export const signInPage = (failed: boolean) => html`
  ${failed ? html`<p role="alert">The email address or the password is wrong.</p>` : ''}
  <form method="post" action="/sign-in">
    <p><label>Email address <input name="email" type="email" autocomplete="username" required /></label></p>
    <p><label>Password <input name="password" type="password" autocomplete="current-password" required /></label></p>
    <button>Sign in</button>
  </form>`;

/** Contents of the home page. */
interface Home {
  readonly user: User;
  readonly connectors: readonly HostedConnector[];
  /** Ids of connectors whose credentials the vendor has rejected. */
  readonly refused: ReadonlySet<string>;
  readonly notice?: string | undefined;
  readonly answer?: string | undefined;
}

const row = ({ id, name }: HostedConnector, isRefused: boolean) => html`<li>
  <span>${name}${isRefused ? html` – <strong>needs to be connected again</strong>` : ''}</span>
  <button data-connector-id="${id}" aria-label="Reconnect ${name}">Reconnect</button>
  <form method="post" action="/disconnect">
    <button name="connector" value="${id}" aria-label="Disconnect ${name}">Disconnect</button>
  </form>
</li>`;

export const homePage = ({ user, connectors, refused, notice, answer }: Home) => html`
  <form method="post" action="/sign-out">${user.email} <button>Sign out</button></form>
  ${notice ? html`<p role="status">${notice}</p>` : ''}
  <h2>Your accounts</h2>
  <ul>${connectors.map((connector) => row(connector, refused.has(connector.id)))}</ul>
  <p>${Object.entries(accountTypes).map(
    ([type, { title }]) => html`<button data-type="${type}">Connect ${title}</button> `,
  )}</p>
  <p id="waiting" hidden>Go on in the other window. <button>Stop waiting</button></p>
  <h2>Ask</h2>
  <form method="post" action="/ask">
    <label>Question <input name="question" required maxlength="1000" /></label> <button>Ask</button>
  </form>
  ${answer === undefined ? '' : html`<pre aria-label="Answer">${answer}</pre>`}`;
