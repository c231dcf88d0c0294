import type { Address, Attachment, Email } from 'postal-mime';
import { HiddenContent } from './hidden.js';
import { htmlText } from './html.js';
import { InnerDocuments } from './inner.js';
import { decodeText, unescaped } from './plain.js';
import type { Extract, ReadOptions } from './result.js';

/** Lines of an email's header. */
export const headerOf = (fields: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(fields)
    .flatMap(([name, value]) => (value === undefined || value.trim() === '' ? [] : [`${name}: ${value.trim()}`]))
    .join('\n');

const nameOf = ({ name, address, group }: Address): string =>
  group ? `${name}: ${group.map(nameOf).join(', ')}` : name && address ? `${name} <${address}>` : name || address || '';
const namesOf = (addresses: readonly Address[] = []): string => addresses.map(nameOf).join(', ');

/** Emails attached to an email that is itself attached this often are not read. */
const maxAttachedDepth = 5;

interface Context {
  readonly hidden: HiddenContent;
  readonly inner: InnerDocuments;
}

/** Text of an email: header, body, and attachments with their texts. A saved web page is one, too. */
export async function emailText(
  bytes: Uint8Array,
  { indexesHidden, readInner }: Partial<ReadOptions> = {},
): Promise<Extract> {
  const context = { hidden: new HiddenContent(indexesHidden), inner: new InnerDocuments('attachment', readInner) };
  const text = await attachedText(bytes, 0, context);
  return { text, missing: context.inner.missing ?? context.hidden.missing };
}

/** Types of parts that contain an encrypted message, or one that is signed in a way that wraps it. */
const sealedType = /^application\/(?:x-)?(?:pkcs7-mime|pgp-encrypted)$/;

async function attachedText(bytes: Uint8Array, depth: number, context: Context): Promise<string> {
  const { default: PostalMime } = await import('postal-mime');
  const email = await PostalMime.parse(bytes, { maxNestingDepth: 50 });
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isFlowed = /^format=flowed|[;\s]format="?flowed/im.test(source.toString('latin1'));
  const flowing = isFlowed && email.text ? { ...email, text: withQuotes(email.text) } : email;
  const texts = [await textOfEmail(flowing, context.hidden)];
  const calendar = email.attachments.find(({ mimeType }) => mimeType === 'text/calendar');
  if (calendar) texts.push(unescaped(decodeText(contentOf(calendar))).trim());
  if (email.attachments.some(({ mimeType }) => sealedType.test(mimeType))) {
    context.inner.miss({ cause: 'password', detail: 'Its message is encrypted, or signed in a way that wraps it.' });
  }
  for (const attachment of email.attachments) {
    if (attachment.mimeType !== 'message/rfc822') {
      if (isOnlyShown(attachment) || attachment === calendar || sealedType.test(attachment.mimeType)) continue;
      const name = attachment.filename ?? '';
      const text = await context.inner.textOf(contentOf(attachment), name);
      if (text !== '') texts.push(`Attachment${name && ` (${name})`}:\n\n${text}`);
    } else if (depth < maxAttachedDepth) {
      texts.push(`Attached email:\n\n${await attachedText(contentOf(attachment), depth + 1, context)}`);
    } else context.inner.miss({ cause: 'too_large', detail: 'An attached email is in too many other emails.' });
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

/** Whether a part is an image or a style of the body; some programs put attachments among them. */
const isOnlyShown = ({ related, mimeType }: Attachment): boolean =>
  related === true && /^(?:image|text)\//.test(mimeType);

async function textOfEmail(
  { subject, from, to, cc, date, text, html, attachments }: Email,
  hidden: HiddenContent,
): Promise<string> {
  const header = headerOf({
    Subject: subject,
    From: from && nameOf(from),
    To: namesOf(to),
    Cc: namesOf(cc),
    Date: date && dateOf(date.trim()),
  });
  const body = html ? await htmlText(html, hidden) : '';
  const named = attachments.filter((attachment) => attachment.filename && !isOnlyShown(attachment));
  const names = named.map(({ filename }) => `- ${filename}`).join('\n');
  return [
    header,
    text && text.trim() !== '' && (body === '' || !html) ? text : body || text,
    names && `Attachments:\n${names}`,
  ]
    .filter(Boolean)
    .join('\n\n');
}
