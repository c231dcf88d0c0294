import { Parts } from './archive.js';
import type { Format } from './formats.js';
import { decodeText } from './plain.js';
import { UnreadableError } from './unreadable.js';

/** Content types and usual names of main parts. */
const parts: ReadonlyArray<readonly [Format, RegExp, RegExp]> = [
  ['docx', /(?:wordprocessingml\.\w+|ms-word\.\w+\.macroEnabled(?:Main)?)\.main\+xml/i, /^word\/document\d*\.xml$/],
  ['xls', /ms-excel\.sheet\.binary\.macroEnabled\.main/i, /^xl\/workbook\.bin$/],
  ['xlsx', /(?:spreadsheetml\.\w+|ms-excel\.\w+\.macroEnabled)\.main\+xml/i, /^xl\/workbook\d*\.xml$/],
  ['pptx', /(?:presentationml\.\w+|ms-powerpoint\.\w+\.macroEnabled)\.main\+xml/i, /^ppt\/presentation\d*\.xml$/],
  ['visio', /ms-visio\.\w+(?:\.macroEnabled)?\.main\+xml/i, /^visio\/document\.xml$/],
  ['xps', /xps-fixeddocumentsequence\+xml/i, /\.fdseq$/i],
  ['iwork', /(?!)/, /^Index\.zip$|^Index\/Document\.iwa$|^index\.(?:apxl|xml)(?:\.gz)?$/],
];
const packages: ReadonlyArray<readonly [Format, RegExp]> = [
  ['odt', /opendocument\.text|sun\.xml\.writer/],
  ['ods', /opendocument\.spreadsheet|sun\.xml\.calc/],
  ['odp', /opendocument\.(?:presentation|graphics)|sun\.xml\.(?:impress|draw)/],
  ['odf', /opendocument\.(?:formula|chart)/],
  ['database', /opendocument\.(?:data)?base/],
  ['hangul', /hwp\+zip/],
  ['epub', /epub\+zip/],
];
const streams: ReadonlyArray<readonly [Format, RegExp]> = [
  ['doc', /^WordDocument$/],
  ['xls', /^(?:Workbook|Book)$/],
  ['ppt', /^PowerPoint Document$/],
  ['msg', /^__properties_version1\.0$/],
  ['visio', /^VisioDocument$/],
  ['publisher', /^Quill$/],
  ['project', /^ {3}1\d\d?$|^Props(?:9|1\d)$/],
  ['hangul', /^(?:BodyText|HwpSummaryInformation)$/],
];

/** Formats whose files are archives or compound files; encrypted Office documents are compound files. */
const containers = {
  zip: new Set([...parts, ...packages].map(([format]) => format)),
  compound: new Set<Format>([...streams.map(([format]) => format), 'docx', 'xlsx', 'pptx']),
};

/** Largest part that is read to find out the format. */
const maxPartBytes = 1024 * 1024;

/** The document that an archive is, by what it contains; undefined if it is another archive. */
function formatInZip(bytes: Uint8Array): Format | undefined {
  const archive = Parts.open(bytes);
  const names = [...archive.paths];
  const textOf = (pattern: RegExp): string => {
    const name = names.find((one) => pattern.test(one));
    return name === undefined || archive.sizeOf(name) > maxPartBytes ? '' : decodeText(archive.read(name)!);
  };
  const mimetype = textOf(/^mimetype$/i);
  const known =
    packages.find(([, pattern]) => pattern.test(mimetype)) ??
    parts.find(([, , pattern]) => names.some((name) => pattern.test(name)));
  if (known) return known[0];
  const types = textOf(/^\[Content_Types\]\.xml$/i);
  return parts.find(([, pattern]) => pattern.test(types))?.[0];
}

const endOfChain = 0xfffffffa;

/** The streams and storages at the top of a compound file: where the first sector of each starts, by name. */
function compoundEntries(bytes: Uint8Array): ReadonlyMap<string, number> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sectorBytes = 1 << view.getUint16(30, true);
  if (sectorBytes !== 512 && sectorBytes !== 4096) throw new Error('Its header is damaged.');
  const sectorAt = (sector: number) => (sector + 1) * sectorBytes;
  /** The sector after this one, from the allocation table, whose first 109 sectors the header lists. */
  const next = (sector: number): number => {
    const perSector = sectorBytes / 4;
    const index = Math.floor(sector / perSector);
    if (index >= 109) return endOfChain;
    return view.getUint32(sectorAt(view.getUint32(76 + 4 * index, true)) + 4 * (sector % perSector), true);
  };
  const entries: Array<readonly [name: string, start: number]> = [];
  const siblings: Array<readonly [left: number, right: number]> = [];
  let root = 0;
  const seen = new Set<number>();
  for (let sector = view.getUint32(48, true); sector < endOfChain && !seen.has(sector); sector = next(sector)) {
    seen.add(sector);
    for (let at = sectorAt(sector); at < sectorAt(sector + 1) && at + 128 <= bytes.length; at += 128) {
      const length = Math.min(view.getUint16(at + 64, true), 64);
      const name = Buffer.from(bytes.subarray(at, at + Math.max(0, length - 2))).toString('utf16le');
      entries.push([name, sectorAt(view.getUint32(at + 116, true))]);
      siblings.push([view.getUint32(at + 68, true), view.getUint32(at + 72, true)]);
      if (entries.length === 1) root = view.getUint32(at + 76, true);
    }
  }
  const top = new Set<number>();
  for (const pending = [root]; pending.length > 0; ) {
    const entry = pending.pop()!;
    if (entry >= entries.length || top.has(entry)) continue;
    top.add(entry);
    pending.push(...siblings[entry]!);
  }
  return new Map([...top].map((entry) => entries[entry]!));
}

/** Bit of the header of a Word document that is encrypted. */
const encryptedFlag = 0x0100;

/** The document that a compound file is; undefined if unknown. */
function formatInCompound(bytes: Uint8Array): Format | undefined {
  const entries = compoundEntries(bytes);
  const names = [...entries.keys()];
  const flagsAt = (entries.get('WordDocument') ?? bytes.length) + 10;
  const isEncrypted = ((bytes[flagsAt] ?? 0) | ((bytes[flagsAt + 1] ?? 0) << 8)) & encryptedFlag;
  if (isEncrypted || names.some((name) => /^Encrypt(?:edPackage|ionInfo)$/.test(name))) {
    throw new UnreadableError('password', 'It is password-protected.');
  }
  return streams.find(([, pattern]) => names.some((name) => pattern.test(name)))?.[0];
}

/**
 * The format of the document that an archive or a compound file is. If its contents do not tell, it is the declared one,
 * whose reader reports what is wrong with it.
 */
export function formatInside(bytes: Uint8Array, container: 'zip' | 'compound', declared: Format | undefined): Format {
  try {
    const contained = container === 'zip' ? formatInZip(bytes) : formatInCompound(bytes);
    if (contained) return contained;
  } catch (error) {
    if (error instanceof UnreadableError || declared === undefined) throw error;
  }
  return declared !== undefined && containers[container].has(declared) ? declared : container;
}
