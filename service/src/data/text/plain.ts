const marks: ReadonlyArray<readonly [encoding: string, mark: readonly number[]]> = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Text from bytes: UTF-8 unless a mark at the beginning says UTF-16; what is neither is replaced. */
export function decoded(bytes: Uint8Array, otherwise = 'utf-8'): string {
  const [encoding] = marks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte)) ?? [otherwise];
  return new TextDecoder(encoding).decode(bytes);
}

/** A page's text in the encoding that it names near its beginning. */
export function decodedPage(bytes: Uint8Array): string {
  const beginning = new TextDecoder('latin1').decode(bytes.subarray(0, 2048));
  const named = /<meta[^>]+charset\s*=\s*["']?([\w:-]+)|<\?xml[^>]+encoding\s*=\s*["']([\w:-]+)/i.exec(beginning);
  try {
    return decoded(bytes, named?.[1] ?? named?.[2]);
  } catch {
    // There is no such encoding.
    return decoded(bytes);
  }
}
