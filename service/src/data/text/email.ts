import type { Address, Email } from 'postal-mime';
import { htmlText } from './html.js';

/** Lines of an email's header. */
export const headerOf = (fields: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined || value.trim() === '' ? [] : [`${name}: ${value.trim()}`]))
    .join('\n');

const nameOf = ({ name, address, group }: Address): string =>
  group ? `${name}: ${group.map(nameOf).join(', ')}` : name && address ? `${name} <${address}>` : name || address || '';
const namesOf = (addresses: readonly Address[] = []): string => addresses.map(nameOf).join(', ');

/** Text of an email: header, body, names of attachments, and forwarded emails. A saved web page is one, too. */
export async function emailText(bytes: Uint8Array): Promise<string> {
  const { default: PostalMime } = await import('postal-mime');
  const email = await PostalMime.parse(bytes, { maxNestingDepth: 50 });
  return textOfEmail(email);
}

async function textOfEmail({ subject, from, to, cc, date, text, html, attachments }: Email): Promise<string> {
  const header = headerOf({
    Subject: subject,
    From: from && nameOf(from),
    To: namesOf(to),
    Cc: namesOf(cc),
    Date: date,
  });
  const body = html ? await htmlText(html) : '';
  const named = attachments.filter(({ related, filename }) => !related && filename);
  const names = named.map(({ filename }) => `- ${filename}`).join('\n');
  return [
    header,
    text && text.trim() !== '' && (body === '' || !html) ? text : body || text,
    names && `Attachments:\n${names}`,
  ]
    .filter(Boolean)
    .join('\n\n');
}
