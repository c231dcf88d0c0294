import { decodeText } from './plain.js';

/** White space, `<`, and the first bytes of byte order marks. */
const firstBytes = new Set([0x0a, 0x0d, 0x20, 0x3c, 0xef, 0xfe, 0xff]);

/** Whether a file that is no text otherwise is XML. */
export const startsAsXml = (bytes: Uint8Array): boolean => firstBytes.has(bytes[0] ?? 0);

/**
 * The parts of an Office document that is saved as one XML file, by path; undefined for other files (format:
 * https://learn.microsoft.com/openspecs/office_standards/ms-dopcsc).
 */
export function flatParts(bytes: Uint8Array): Map<string, Uint8Array> | undefined {
  if (!startsAsXml(bytes)) return undefined;
  const source = decodeText(bytes);
  const parts = new Map<string, Uint8Array>();
  const start = /<(\w+:)?part\s[^>]*?\bname\s*=\s*["']\/?([^"'>]+)["'][^>]*>\s*<(?:\w+:)?(xml|binary)Data\b[^>]*>/g;
  for (let match = start.exec(source); match; match = start.exec(source)) {
    const [, prefix = '', path, kind] = match;
    const end = source.indexOf(`</${prefix}${kind}Data>`, start.lastIndex);
    if (end < 0) throw new Error('Its XML is truncated.');
    parts.set(path!, Buffer.from(source.slice(start.lastIndex, end), kind === 'xml' ? 'utf8' : 'base64'));
    start.lastIndex = end;
  }
  return parts.size > 0 ? parts : undefined;
}
