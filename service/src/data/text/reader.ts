import { builtFile } from '../../common/built-file.js';
import { FairQueue } from '../../common/fair-queue.js';
import { extractText } from './extract.js';
import { formatOf } from './formats.js';
import { closedError, type ReaderLimits, ReaderProcess } from './reader-process.js';

/** Reads the text of files. */
export interface TextReader {
  /**
   * The text of a file; null where its format has none, an error with a `message` to show where it cannot be read.
   *
   * Tenants take turns, and leave a process to others.
   */
  textOf(bytes: Uint8Array, mimeType: string, fileName: string, tenant?: string): Promise<string | null>;
  /** Ends what is being read. */
  close(): Promise<void>;
}

/** What a reader of files is made with. */
export interface TextReaderOptions extends Partial<ReaderLimits> {
  /** The code of the process that reads; null for reading without one. (the one built beside this file) */
  readonly worker?: URL | null | undefined;
}

const mebibyte = 1024 * 1024;
const maxFileBytes = 50 * mebibyte;
/** Two, so that one tenant's files never keep another's waiting; the second starts when two tenants read at once. */
const maxProcesses = 2;

const defaultLimits: ReaderLimits = { timeLimitMs: 30_000, heapMiB: 512, memoryMiB: 1024, idleMs: 60_000 };

/** The code of the process; without it, documents are read in this one. */
const builtWorker = (): URL | null => builtFile(new URL('./text-worker.js', import.meta.url));

/** Makes a reader of files. Documents are read in processes of their own, which a hostile one can end and nothing else. */
export function openTextReader({ worker, ...limits }: TextReaderOptions = {}): TextReader {
  const code = worker === undefined ? builtWorker() : worker;
  const processes = code
    ? Array.from({ length: maxProcesses }, () => new ReaderProcess(code, { ...defaultLimits, ...limits }))
    : [];
  const queue = new FairQueue(() => processes);
  return {
    async textOf(bytes, mimeType, fileName, tenant = '') {
      const format = formatOf(mimeType, fileName);
      if (format === null) return null;
      if (bytes.length > maxFileBytes) throw new Error(`It is larger than ${maxFileBytes / mebibyte} MiB.`);
      if (!code || format === 'plain') return extractText(bytes, format);
      return queue.run(tenant, (readerProcess) => readerProcess.read(bytes, format));
    },
    async close() {
      queue.close(closedError());
      await Promise.all(processes.map((readerProcess) => readerProcess.close()));
    },
  };
}
