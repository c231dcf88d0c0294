/** Bytes in their own buffer; compatible with TypeScript before 5.7. */
export type ByteArray = ReturnType<Uint8ArrayConstructor['from']>;

/** The checksums that Google reports for a file. */
export interface Checksums {
  md5: string;
  sha1: string;
  sha256: string;
}

/** Stored content. */
export interface Blob extends ByteSource {
  checksums(): Checksums;
}

/** Bytes generated or read only when sent, so a large body needs no memory. */
export interface ByteSource {
  /** Number of bytes. */
  readonly length: number;
  /** The bytes of a range, in pieces. */
  read(from: number, to: number): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}
