/** Bytes in a buffer of their own, in a way that TypeScript before 5.7 can read too. */
export type ByteArray = ReturnType<Uint8ArrayConstructor['from']>;
