import type { FieldsData, ParserConfig } from '@kenjiuno/msgreader';
import { headerOf } from './email.js';
import { htmlText } from './html.js';
import { decodePage } from './plain.js';
import { rtfText } from './rtf.js';

interface ReaderModule {
  readonly default?: new (buffer: ArrayBuffer) => Reader;
}

interface Reader {
  parserConfig: ParserConfig;
  getFileData(): FieldsData;
}

/** Code pages of languages, by the lowest ten bits of their locale; others use 1252. */
const codePages: Readonly<Record<number, number>> = {
  1: 1256,
  2: 1251,
  4: 936,
  5: 1250,
  8: 1253,
  13: 1255,
  14: 1250,
  17: 932,
  18: 949,
  21: 1250,
  24: 1250,
  25: 1251,
  26: 1250,
  27: 1250,
  30: 874,
  31: 1254,
  34: 1251,
  35: 1251,
  36: 1250,
  37: 1257,
  38: 1257,
  39: 1257,
  42: 1258,
};
const traditionalChinese = new Set([0x0404, 0x0c04, 0x1404]);

/** The code page of a message's strings; undefined for the default, and for Unicode. */
function codePageOf({ messageCodepage, messageLocaleId: locale = 0 }: FieldsData): number | undefined {
  if (messageCodepage !== undefined) return [1200, 1201, 65001].includes(messageCodepage) ? undefined : messageCodepage;
  return traditionalChinese.has(locale) ? 950 : codePages[locale & 0x3ff];
}

/** An address with its name; addresses within an Exchange organization mean nothing elsewhere. */
function personOf(name = '', ...addresses: ReadonlyArray<string | undefined>): string {
  const address = addresses.find((one) => one?.includes('@'));
  if (address === undefined || name.includes(address)) return name;
  return name === '' ? address : `${name} <${address}>`;
}

/** Text of an Outlook message: header, body and names of attachments. */
export async function outlookText(bytes: Uint8Array): Promise<string> {
  const { default: exports } = await import('@kenjiuno/msgreader');
  // A CommonJS module with a default export of its own, which bundlers resolve differently.
  const MsgReader = (exports as ReaderModule).default ?? (exports as unknown as NonNullable<ReaderModule['default']>);
  const read = (ansiEncoding?: string): FieldsData => {
    const reader = new MsgReader(new Uint8Array(bytes).buffer);
    // Set before the first call, whose result the reader keeps.
    if (ansiEncoding !== undefined) reader.parserConfig = { ansiEncoding };
    return reader.getFileData();
  };
  let fields = read();
  const codePage = codePageOf(fields);
  if (codePage !== undefined) fields = read(`cp${codePage}`);
  if (fields.error) throw new Error(fields.error);
  const recipients = (type: string) =>
    (fields.recipients ?? [])
      .filter(({ recipType = 'to' }) => recipType === type)
      .map(({ name, smtpAddress, email }) => personOf(name, smtpAddress, email))
      .join(', ');
  const header = headerOf({
    Subject: fields.subject,
    From: personOf(fields.senderName, fields.senderSmtpAddress, fields.senderEmail),
    To: recipients('to'),
    Cc: recipients('cc'),
    Date: fields.clientSubmitTime ?? fields.messageDeliveryTime,
  });
  const names = (fields.attachments ?? [])
    .filter(({ attachmentHidden }) => !attachmentHidden)
    .map(({ fileName, name, fileNameShort }) => fileName ?? name ?? fileNameShort ?? '')
    .filter((name) => name !== '');
  return [
    header,
    await bodyOf(fields),
    names.length > 0 ? `Attachments:\n${names.map((name) => `- ${name}`).join('\n')}` : '',
  ]
    .filter((part) => part.trim() !== '')
    .join('\n\n');
}

async function bodyOf({ body, html, bodyHtml, compressedRtf }: FieldsData): Promise<string> {
  if (body?.trim()) return body;
  if (bodyHtml) return htmlText(bodyHtml);
  if (html) return htmlText(decodePage(html));
  if (!compressedRtf) return '';
  const { decompressRTF } = await import('@kenjiuno/decompressrtf');
  return rtfText(Uint8Array.from(decompressRTF([...compressedRtf])));
}
