import { html } from 'hono/html';
import type { SetupRow } from '../../../data/state/setup-types.js';
import { messagePage, pageOf, setupSummary } from './layout.js';

const newAddressHint = 'Ask whoever sent you this address for a new one, or run the command again that gave it to you.';

/** A setup that can no longer be used: says how it ended and what to do. */
export function endedPage({ status, name, error }: SetupRow): Promise<Response> {
  if (status === 'done') {
    const connected = `The connector ${name} has been connected with this address, which can be used once.`;
    return messagePage(410, 'This is done already', [
      connected,
      'There is nothing more to do: you can close this page.',
    ]);
  }
  if (status === 'expired') {
    return messagePage(410, 'This address has expired', [
      'It was good for 30 minutes. Nothing was connected.',
      newAddressHint,
    ]);
  }
  return messagePage(410, 'This setup has ended', [error ?? 'It failed.', newAddressHint]);
}

/** An address that no setup has. */
export const unknownPage = (): Promise<Response> =>
  messagePage(404, 'There is nothing at this address', [
    'Look whether all of the address was copied; it may also have been used up some time ago.',
    newAddressHint,
  ]);

/** The setup is done. */
export const donePage = (setup: SetupRow, title: string, isReplicated: boolean): Promise<Response> =>
  pageOf({
    title: `${title} is connected`,
    body: html`<h1>${title} is connected</h1>
${setupSummary(setup)}
<p role="status"><span class="good">✓</span> The connector works, and its credentials are stored encrypted.</p>
${isReplicated ? html`<p>Its records are being copied now, so that they can be searched; that may take a while.</p>` : ''}
<p>You can close this page. Its address cannot be used again.</p>`,
  });

/** Takes the browser to the vendor's page. */
export const redirectPage = (title: string, url: string): Promise<Response> =>
  pageOf({
    title: `Going on to ${title}`,
    next: url,
    body: html`<h1>Going on to ${title}</h1>
<p>If nothing happens, <a href="${url}">go on to ${title}</a>.</p>`,
  });

/** An answer of a vendor's page that belongs to nothing that was asked here. */
export const invalidConsentPage = (): Promise<Response> =>
  messagePage(400, 'This sign-in cannot be used', [
    'It was answered before, took longer than 10 minutes, or was begun in another browser.',
    'Open the address of the setup again, in the browser in which you want to sign in, and begin there once more.',
  ]);
