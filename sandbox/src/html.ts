import type { VendorReply } from './vendor.js';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => entities[letter]!);

/** An emulated page of a vendor. */
export const htmlPage = (status: number, title: string, inside: string): VendorReply => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  body: `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} (sandbox)</title>
<h1>${escapeHtml(title)} (sandbox)</h1>
${inside}
</html>`,
});
