/** Bytes in a buffer of their own, in a way that TypeScript before 5.7 can read too. */
export type ByteArray = ReturnType<Uint8ArrayConstructor['from']>;

/** The checksums that Google tells of a file. */
export interface Checksums {
  md5: string;
  sha1: string;
  sha256: string;
}

/** Content that is kept somewhere. */
export interface Blob extends ByteSource {
  checksums(): Checksums;
}

/** Bytes that are made or read only when they are sent, so that a body of any size needs no memory. */
export interface ByteSource {
  /** Number of bytes. */
  readonly length: number;
  /** The bytes from one offset up to another, in pieces. */
  read(from: number, to: number): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}
