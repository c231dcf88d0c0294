import type { ByteStream, DownloadMeta } from '../action/result.js';

/** A downloaded file, for the host to store. */
export interface ToolFile {
  /** Its name, if the vendor reports it; may contain anything, so do not use it as a path. */
  readonly name: string | null;
  /** MIME type, if the vendor reports it. */
  readonly contentType: string | null;
  /** Size in bytes, if the vendor reports it. */
  readonly size: number | null;
  /** Its content; read it before the promise that `onFile` returns resolves. */
  readonly stream: ByteStream;
}

/** Stores a file and returns a handle that lets the host, a user or another tool find it. */
export type OnFile = (file: ToolFile) => Promise<
  | {
      /** Handle of the file. */
      readonly handle: string;
    }
  | string
>;

/** A file as shown to a model: without its bytes. */
export interface StoredFile {
  /** Handle of the stored file; null if the host does not store files. */
  readonly handle: string | null;
  /** Its name, if the vendor reports it. */
  readonly name: string | null;
  /** MIME type, if the vendor reports it. */
  readonly content_type: string | null;
  /** Size in bytes, if known. */
  readonly size: number | null;
}

/** Passes content to the host, if it stores files; otherwise cancels it. */
export async function keep(
  stream: ByteStream | undefined,
  { file_name: name, content_type }: DownloadMeta,
  total: number | null,
  onFile: OnFile | undefined,
): Promise<StoredFile> {
  if (!onFile || !stream) {
    await stream?.cancel().catch(() => {});
    return { handle: null, name, content_type, size: total };
  }
  let size = 0;
  const counted = stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        size += bytes.length;
        controller.enqueue(bytes);
      },
    }),
  );
  try {
    const stored = await onFile({ name, contentType: content_type, size: total, stream: counted });
    return { handle: typeof stored === 'string' ? stored : stored.handle, name, content_type, size: total ?? size };
  } finally {
    // Closes the connection of a download that the host has not read.
    if (!counted.locked) await counted.cancel().catch(() => {});
  }
}
