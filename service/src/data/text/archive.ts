const mebibyte = 1024 * 1024;

/** What the parts of a document may have unpacked, together. */
const maxUnpackedBytes = 128 * mebibyte;
const maxParts = 20_000;

/** The parts of an office document that were asked for, unpacked, by path. */
export type Parts = Readonly<Record<string, Uint8Array>>;

/** Unpacks those parts of an office document whose path is wanted; what is too large unpacked is refused beforehand. */
export async function unzipParts(bytes: Uint8Array, isWanted: (path: string) => boolean): Promise<Parts> {
  if (bytes[0] === 0xd0 && bytes[1] === 0xcf)
    throw new Error('It is password-protected, or in an older format than its name says.');
  const { unzipSync } = await import('fflate');
  let unpacked = 0;
  let count = 0;
  // No part becomes longer than the archive says: the rest of it is dropped.
  return unzipSync(bytes, {
    filter({ name, originalSize }) {
      if (!isWanted(name)) return false;
      count += 1;
      unpacked += originalSize;
      if (unpacked > maxUnpackedBytes) throw new Error(`It exceeds ${maxUnpackedBytes / mebibyte} MiB when unpacked.`);
      if (count > maxParts) throw new Error(`It has more than ${maxParts} parts.`);
      return true;
    },
  });
}
