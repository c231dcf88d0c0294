import type { ByteStream, DownloadMeta } from '../call/result.js';

/** A file that an action has downloaded, for the host to keep. */
export interface ToolFile {
  /** Its name, where the vendor tells; it may hold anything, so it is no path. */
  readonly name: string | null;
  /** MIME type, where the vendor tells. */
  readonly contentType: string | null;
  /** Bytes, where the vendor tells. */
  readonly size: number | null;
  /** Its content; read it before the promise resolves. */
  readonly stream: ByteStream;
}

/** Keeps a file and says by which handle the host, a person or another tool finds it. */
export type OnFile = (file: ToolFile) => Promise<
  | {
      /** Where the file is found. */
      readonly handle: string;
    }
  | string
>;

/** A file as a model is told of it: without its bytes. */
export interface StoredFile {
  /** Where the host has put it; null where it keeps no files. */
  readonly handle: string | null;
  /** Its name, where the vendor tells. */
  readonly name: string | null;
  /** MIME type, where the vendor tells. */
  readonly content_type: string | null;
  /** Bytes, where they are known. */
  readonly size: number | null;
}

/** Gives content to the host, if it keeps files, and lets go of it. */
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
  const stored = await onFile({ name, contentType: content_type, size: total, stream: counted });
  if (!counted.locked) await counted.cancel().catch(() => {});
  return { handle: typeof stored === 'string' ? stored : stored.handle, name, content_type, size: total ?? size };
}
