import { builtFile } from '../../common/built-file.js';
import { type Bounds, Desk } from './desk.js';
import { extracted } from './extract.js';
import { formatOf } from './formats.js';

/** Reads the text of files. */
export interface TextReader {
  /** The text of a file; null where its format has none, an error with a `message` to show where it cannot be read. */
  textOf(bytes: Uint8Array, mimeType: string, fileName: string): Promise<string | null>;
  /** Ends what is being read. */
  close(): Promise<void>;
}

/** What a reader of files is made with. */
export interface TextReaderOptions extends Partial<Bounds> {
  /** The code of the process that reads; null for reading without one. (the one built beside this file) */
  readonly worker?: URL | null | undefined;
}

const mebibyte = 1024 * 1024;
const largest = 50 * mebibyte;

const usual: Bounds = { timeLimitMs: 30_000, heapMiB: 512, memoryMiB: 1024, idleMs: 60_000 };

/** The code of the process; without it, documents are read in this one. */
const builtWorker = (): URL | null => builtFile(new URL('./text-worker.js', import.meta.url));

/** Makes a reader of files. Documents are read in a process of their own, which a hostile one can end and nothing else. */
export function openTextReader({ worker, ...bounds }: TextReaderOptions = {}): TextReader {
  const code = worker === undefined ? builtWorker() : worker;
  const desk = code && new Desk(code, { ...usual, ...bounds });
  return {
    async textOf(bytes, mimeType, fileName) {
      const format = formatOf(mimeType, fileName);
      if (format === null) return null;
      if (bytes.length > largest) throw new Error(`It has more than ${largest / mebibyte} MiB.`);
      return desk && format !== 'plain' ? desk.read(bytes, format) : extracted(bytes, format);
    },
    close: async () => desk?.close(),
  };
}
