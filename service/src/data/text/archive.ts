const mebibyte = 1024 * 1024;

/** Maximum total unpacked size of a document's parts. */
const maxUnpackedBytes = 128 * mebibyte;
const maxParts = 20_000;

/** The requested parts of an office document, unpacked, by path. */
export type Parts = Readonly<Record<string, Uint8Array>>;

/** Unpacks the wanted parts of an office document; oversized ones are rejected before unpacking. */
export async function unzipParts(bytes: Uint8Array, isWanted: (path: string) => boolean): Promise<Parts> {
  if (bytes[0] === 0xd0 && bytes[1] === 0xcf)
    throw new Error('It is password-protected or in an older format than its extension indicates.');
  const { unzipSync } = await import('fflate');
  let unpacked = 0;
  let count = 0;
  // A part never exceeds its declared size: the rest is dropped.
  const parts = unzipSync(bytes, {
    filter({ name, originalSize }) {
      if (!isWanted(pathOf(name))) return false;
      count += 1;
      unpacked += originalSize;
      if (unpacked > maxUnpackedBytes) throw new Error(`It exceeds ${maxUnpackedBytes / mebibyte} MiB when unpacked.`);
      if (count > maxParts) throw new Error(`It has more than ${maxParts} parts.`);
      return true;
    },
  });
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [pathOf(name), part]));
}

/** Some programs write backslashes, or a leading slash. */
const pathOf = (name: string): string => name.replaceAll('\\', '/').replace(/^\//, '');
