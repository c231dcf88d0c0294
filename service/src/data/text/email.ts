import type { Address, Attachment, Email } from 'postal-mime';
import { htmlText } from './html.js';
import { decodeText, unescaped } from './plain.js';

/** Lines of an email's header. */
export const headerOf = (fields: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined || value.trim() === '' ? [] : [`${name}: ${value.trim()}`]))
    .join('\n');

const nameOf = ({ name, address, group }: Address): string =>
  group ? `${name}: ${group.map(nameOf).join(', ')}` : name && address ? `${name} <${address}>` : name || address || '';
const namesOf = (addresses: readonly Address[] = []): string => addresses.map(nameOf).join(', ');

/** Emails attached to an email that is itself attached this often are only named. */
const maxAttachedDepth = 5;

/** Text of an email: header, body, names of attachments, and attached emails. A saved web page is one, too. */
export const emailText = (bytes: Uint8Array): Promise<string> => attachedText(bytes, 0);

async function attachedText(bytes: Uint8Array, depth: number): Promise<string> {
  const { default: PostalMime } = await import('postal-mime');
  const email = await PostalMime.parse(bytes, { maxNestingDepth: 50 });
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isFlowed = /^format=flowed|[;\s]format="?flowed/im.test(source.toString('latin1'));
  const texts = [await textOfEmail(isFlowed && email.text ? { ...email, text: withQuotes(email.text) } : email)];
  const calendar = email.attachments.find(({ mimeType }) => mimeType === 'text/calendar');
  if (calendar) texts.push(unescaped(decodeText(contentOf(calendar))).trim());
  for (const attachment of depth < maxAttachedDepth ? email.attachments : []) {
    if (attachment.mimeType !== 'message/rfc822') continue;
    texts.push(`Attached email:\n\n${await attachedText(contentOf(attachment), depth + 1)}`);
  }
  return texts.length === 1 ? texts[0]! : texts.map((text) => text.trim()).join('\n\n');
}

const contentOf = ({ content }: Attachment): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);

/**
 * Lines of quotes that flow are joined with the marks of the next lines, such as `> one > two`
 * (`format=flowed`, https://www.rfc-editor.org/rfc/rfc3676). A mark of another depth starts a line.
 */
const withQuotes = (text: string): string =>
  text.replace(/^(>+) .*$/gm, (line, mark: string) => {
    let depth = mark;
    return line.replace(/(?<=[^>]) ?(>+) /g, (_, next: string) => {
      const isSame = next === depth;
      depth = next;
      return isSame ? ' ' : `\n${next} `;
    });
  });

/** Offsets of time zones whose names are not ambiguous; `Date` knows those of the United States. */
const zones: Readonly<Record<string, string>> = {
  WET: '+0000',
  WEST: '+0100',
  BST: '+0100',
  CET: '+0100',
  CEST: '+0200',
  MEZ: '+0100',
  MESZ: '+0200',
  EET: '+0200',
  EEST: '+0300',
  MSK: '+0300',
  SAST: '+0200',
  HKT: '+0800',
  SGT: '+0800',
  AWST: '+0800',
  JST: '+0900',
  KST: '+0900',
  AEST: '+1000',
  AEDT: '+1100',
  NZST: '+1200',
  NZDT: '+1300',
};

/** An email's date in ISO 8601; as it is written if it cannot be read. */
function dateOf(written: string): string {
  const date = new Date(written.replace(/\b[A-Z]{3,4}$/, (zone) => zones[zone] ?? zone));
  return Number.isNaN(date.getTime()) ? written : date.toISOString();
}

async function textOfEmail({ subject, from, to, cc, date, text, html, attachments }: Email): Promise<string> {
  const header = headerOf({
    Subject: subject,
    From: from && nameOf(from),
    To: namesOf(to),
    Cc: namesOf(cc),
    Date: date && dateOf(date.trim()),
  });
  const body = html ? await htmlText(html) : '';
  // Some programs put attachments among the images of the body.
  const named = attachments.filter(
    ({ related, filename, mimeType }) => filename && !(related && /^(?:image|text)\//.test(mimeType)),
  );
  const names = named.map(({ filename }) => `- ${filename}`).join('\n');
  return [
    header,
    text && text.trim() !== '' && (body === '' || !html) ? text : body || text,
    names && `Attachments:\n${names}`,
  ]
    .filter(Boolean)
    .join('\n\n');
}
