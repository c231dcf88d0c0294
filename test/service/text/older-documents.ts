import { CFB } from '@e965/xlsx';

/** A compound file with the given streams, by path. */
function compoundFile(streams: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const file = CFB.utils.cfb_new();
  for (const [path, content] of Object.entries(streams)) CFB.utils.cfb_add(file, path, Buffer.from(content) as any);
  return new Uint8Array(CFB.write(file, { type: 'buffer' }) as Uint8Array);
}

/** A Word 97-2003 document; each paragraph is a piece, and the first one is stored in the Windows code page. */
export function docOf(paragraphs: readonly string[], { encrypted = false } = {}): Uint8Array {
  const main = Buffer.alloc(8192);
  const textAt = 2048;
  main.writeUInt16LE(0xa5ec, 0);
  main.writeUInt16LE(0x0200 | (encrypted ? 0x0100 : 0), 0x0a);
  main.writeUInt32LE(textAt, 0x18);
  const texts = paragraphs.map((paragraph) => `${paragraph}\r`);
  main.writeUInt32LE(texts.join('').length, 0x4c);
  const starts = [0];
  const pieces: Buffer[] = [];
  let at = textAt;
  for (const [index, text] of texts.entries()) {
    const bytes = Buffer.from(text, index === 0 ? 'latin1' : 'utf16le');
    bytes.copy(main, at);
    const piece = Buffer.alloc(8);
    piece.writeUInt32LE(index === 0 ? (at * 2) | 0x40000000 : at, 2);
    pieces.push(piece);
    starts.push(starts.at(-1)! + text.length);
    at += bytes.length;
  }
  const positions = Buffer.alloc(4 * starts.length);
  for (const [index, start] of starts.entries()) positions.writeUInt32LE(start, 4 * index);
  const table = Buffer.concat([Buffer.from([2, 0, 0, 0, 0]), positions, ...pieces, Buffer.alloc(4096)]);
  const length = positions.length + 8 * pieces.length;
  table.writeUInt32LE(length, 1);
  main.writeUInt32LE(0, 0x1a2);
  main.writeUInt32LE(length + 5, 0x1a6);
  return compoundFile({ '/WordDocument': main, '/1Table': table });
}

/** An Outlook message with an attachment. */
export function msgOf({ subject, body, file }: Readonly<Record<'subject' | 'body' | 'file', string>>): Uint8Array {
  const text = (value: string) => Buffer.from(value, 'utf16le');
  const properties = (tags: readonly number[], headerLength: number) => {
    const bytes = Buffer.alloc(headerLength + 16 * tags.length);
    for (const [index, tag] of tags.entries()) bytes.writeUInt32LE(tag, headerLength + 16 * index);
    return bytes;
  };
  const attachment = '/__attach_version1.0_#00000000';
  return compoundFile({
    '/__properties_version1.0': properties([0x0037001f, 0x1000001f], 32),
    '/__substg1.0_0037001F': text(subject),
    '/__substg1.0_1000001F': text(body),
    [`${attachment}/__properties_version1.0`]: properties([0x3707001f, 0x37010102], 8),
    [`${attachment}/__substg1.0_3707001F`]: text(file),
    [`${attachment}/__substg1.0_37010102`]: new TextEncoder().encode('Attached text'),
  });
}

/** A PowerPoint 97-2003 presentation, as far as its format can be recognized. */
export const pptOf = (): Uint8Array => compoundFile({ '/PowerPoint Document': Buffer.alloc(5000, 1) });
