const byteOrderMarks: ReadonlyArray<readonly [encoding: string, mark: readonly number[]]> = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Decodes UTF-8, or UTF-16 if there is a byte order mark; invalid bytes are replaced. */
export function decodeText(bytes: Uint8Array, fallback = 'utf-8'): string {
  const [encoding] = byteOrderMarks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte)) ?? [fallback];
  return new TextDecoder(encoding).decode(bytes);
}

/** Decodes a page using the encoding declared near its start. */
export function decodePage(bytes: Uint8Array): string {
  const beginning = new TextDecoder('latin1').decode(bytes.subarray(0, 2048));
  const declared = /<meta[^>]+charset\s*=\s*["']?([\w:-]+)|<\?xml[^>]+encoding\s*=\s*["']([\w:-]+)/i.exec(beginning);
  try {
    return decodeText(bytes, declared?.[1] ?? declared?.[2]);
  } catch {
    // Unknown encoding.
    return decodeText(bytes);
  }
}

/** The text of a text file. */
export const plainText = async (bytes: Uint8Array): Promise<string> => decodeText(bytes);
