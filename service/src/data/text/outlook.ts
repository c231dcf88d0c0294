import type { FieldsData, ParserConfig } from '@kenjiuno/msgreader';
import { headerOf } from './email.js';
import { HiddenContent } from './hidden.js';
import { htmlText } from './html.js';
import { InnerDocuments } from './inner.js';
import { decodePage } from './plain.js';
import type { Extract, ReadOptions } from './result.js';
import { rtfText } from './rtf.js';

interface ReaderModule {
  readonly default?: new (buffer: ArrayBuffer) => Reader;
}

interface Reader {
  parserConfig: ParserConfig;
  getFileData(): FieldsData;
  getAttachment(attachment: FieldsData): { readonly fileName: string; readonly content: Uint8Array };
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

/** Text of an Outlook message: header, body, and attachments with their texts. */
export async function outlookText(
  bytes: Uint8Array,
  { indexesHidden, readInner }: Partial<ReadOptions> = {},
): Promise<Extract> {
  const { default: exports } = await import('@kenjiuno/msgreader');
  // A CommonJS module with a default export of its own, which bundlers resolve differently.
  const MsgReader = (exports as ReaderModule).default ?? (exports as unknown as NonNullable<ReaderModule['default']>);
  let reader: Reader;
  const read = (ansiEncoding?: string): FieldsData => {
    reader = new MsgReader(new Uint8Array(bytes).buffer);
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
  const attachments = (fields.attachments ?? []).filter(({ attachmentHidden }) => !attachmentHidden);
  const nameOf = ({ fileName, name, fileNameShort }: FieldsData) => fileName ?? name ?? fileNameShort ?? '';
  const names = attachments.map(nameOf).filter((name) => name !== '');
  const hidden = new HiddenContent(indexesHidden);
  const inner = new InnerDocuments('attachment', readInner);
  const texts = [
    header,
    await bodyOf(fields, hidden),
    names.length > 0 ? `Attachments:\n${names.map((name) => `- ${name}`).join('\n')}` : '',
  ];
  for (const attachment of attachments) {
    const name = nameOf(attachment);
    // An attached message is a folder of this file, from which the reader makes a file of its own.
    const isMessage = attachment.innerMsgContent === true;
    if (!isMessage && attachment.dataId === undefined) {
      inner.miss({ cause: 'format', permanent: true, detail: `The message does not contain its attachment ${name}.` });
      continue;
    }
    const text = await inner.textOf(reader!.getAttachment(attachment).content, isMessage ? 'message.msg' : name);
    if (text !== '') texts.push(`Attachment${name && ` (${name})`}:\n\n${text}`);
  }
  const text = texts.filter((part) => part.trim() !== '').join('\n\n');
  return { text, missing: inner.missing ?? hidden.missing };
}

async function bodyOf({ body, html, bodyHtml, compressedRtf }: FieldsData, hidden: HiddenContent): Promise<string> {
  if (body?.trim()) return body;
  if (bodyHtml) return htmlText(bodyHtml, hidden);
  if (html) return htmlText(decodePage(html), hidden);
  if (!compressedRtf) return '';
  const { decompressRTF } = await import('@kenjiuno/decompressrtf');
  const result = await rtfText(Uint8Array.from(decompressRTF([...compressedRtf])));
  return typeof result === 'string' ? result : result.text;
}
