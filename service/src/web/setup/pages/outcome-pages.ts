import { html } from 'hono/html';
import type { ConnectSession, SetupRow } from '../../../data/state/setup-types.js';
import type { Look } from '../look.js';
import { messagePage, type PageScript, pageOf, setupSummary } from './layout.js';

/** Milliseconds to wait for the product's page to acknowledge the result. */
const receiptMs = 1000;

/** A setup that can no longer be used: how it ended and what to do next. */
export function endedPage(look: Look, { status, name, error }: SetupRow): Promise<Response> {
  const { texts } = look;
  if (status === 'done')
    return messagePage(look, 410, texts.doneAlready, [texts.wasConnected(name), texts.nothingMore]);
  if (status === 'expired') return messagePage(look, 410, texts.expired, [texts.expiredText, texts.newAddress]);
  return messagePage(look, 410, texts.ended, [error ?? texts.failed, texts.newAddress]);
}

/**
 * Posts the result to the window that opened this one, if it is still there and on the session's own origin, and closes
 * this one once it is acknowledged; otherwise goes to the return URL.
 */
const postCode = `
const { address, origin, nonce } = document.currentScript.dataset;
const go = () => location.replace(address);
const { opener } = window;
if (opener && address.includes('signature=')) {
  const wait = setTimeout(go, ${receiptMs});
  addEventListener('message', (event) => {
    if (event.source !== opener || event.origin !== origin) return;
    if (event.data?.nonce !== nonce || event.data.received !== true) return;
    clearTimeout(wait);
    close();
  });
  opener.postMessage({ nonce, address }, origin);
} else go();
`;

const postScript = (address: string, { nonce, returnUrl }: ConnectSession): PageScript => ({
  code: postCode,
  data: { address, origin: new URL(returnUrl).origin, nonce },
});

/** A finished connect session: returns to the product, immediately if this responds to the last step. */
export function sessionEndPage(
  look: Look,
  { status, connect }: SetupRow,
  { title, url, goesBack }: { readonly title: string; readonly url: string | undefined; readonly goesBack: boolean },
): Promise<Response> {
  const { texts } = look;
  const product = connect?.brand?.name ?? 'agent-connectors';
  const heading = {
    done: texts.isConnected(title),
    unconfirmed: texts.oneMoreStep,
  }[status as string];
  const text = {
    done: url === undefined ? texts.closeAndReturn(product) : undefined,
    cancelled: texts.cancelledText,
    expired: texts.sessionExpired,
    failed: texts.sessionFailed,
    unconfirmed: texts.notInPlaceYet(product, title),
  }[status as string];
  return pageOf({
    look,
    status: goesBack ? 200 : 410,
    title: heading ?? texts.cancelled(title),
    next: goesBack ? url : undefined,
    script: goesBack && url !== undefined && connect?.brand ? postScript(url, connect) : undefined,
    body: html`<h1>${heading ?? texts.cancelled(title)}</h1>
${text === undefined ? '' : html`<p>${text}</p>`}
${
  url === undefined
    ? ''
    : html`<p role="status">${goesBack ? `${texts.goingBack(product)}.` : ''}</p>
<p class="go"><a href="${url}">${status === 'unconfirmed' ? texts.continueTo(product) : texts.back(product)}</a></p>`
}`,
  });
}

/** An unknown setup URL. */
export const unknownPage = (look: Look): Promise<Response> =>
  messagePage(look, 404, look.texts.unknown, [look.texts.unknownText]);

/** The setup is complete. */
export const donePage = (look: Look, setup: SetupRow, title: string, isReplicated: boolean): Promise<Response> =>
  pageOf({
    look,
    title: look.texts.isConnected(title),
    body: html`<h1>${look.texts.isConnected(title)}</h1>
${setupSummary(look, setup)}
<p role="status"><span class="good">✓</span> ${look.texts.works}</p>
${isReplicated ? html`<p>${look.texts.copying}</p>` : ''}
<p>${look.texts.closePage}</p>`,
  });

/** Redirects to the vendor's page. */
export const redirectPage = (look: Look, title: string, url: string): Promise<Response> =>
  pageOf({
    look,
    title: look.texts.goingOn(title),
    next: url,
    body: html`<h1>${look.texts.goingOn(title)}</h1>
<p>${look.texts.ifNothingHappens}<a href="${url}">${look.texts.goOnLink(title)}</a>.</p>`,
  });

/** A consent response that matches no request. */
export const invalidConsentPage = (look: Look): Promise<Response> =>
  messagePage(look, 400, look.texts.invalidSignIn, [look.texts.invalidSignInText, look.texts.openAgain]);
