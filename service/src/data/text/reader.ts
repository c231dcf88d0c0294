import { builtFile } from '../../common/built-file.js';
import { FairQueue } from '../../common/fair-queue.js';
import { formatOf } from './detect.js';
import { extractText } from './extract.js';
import { type Format, formats } from './formats.js';
import { closedError, type ReaderLimits, ReaderProcess } from './reader-process.js';

/** Extracts text from files. */
export interface TextReader {
  /**
   * The text of a file; null if its format has none. Rejects with a presentable `message` if it cannot be read.
   *
   * Tenants take turns, and one tenant never occupies every process.
   */
  textOf(bytes: Uint8Array, mimeType: string, fileName: string, tenant?: string): Promise<string | null>;
  /** Cancels running reads. */
  close(): Promise<void>;
}

/** Options for a text reader. */
export interface TextReaderOptions extends Partial<ReaderLimits> {
  /** The script that child processes run (default: the one built next to this file); null reads files in this process. */
  readonly worker?: URL | null | undefined;
}

const mebibyte = 1024 * 1024;
const maxFileBytes = 50 * mebibyte;
/** Two, so that one tenant's files never block another's; the second starts when two tenants read concurrently. */
const maxProcesses = 2;

const defaultLimits: ReaderLimits = { timeLimitMs: 30_000, heapMiB: 512, memoryMiB: 1024, idleMs: 60_000 };

/** The worker script; without it, documents are read in this process. */
const builtWorker = (): URL | null => builtFile(new URL('./text-worker.js', import.meta.url));

/** Whether files of a format are parsed, or may contain files that are. */
const needsProcess = (format: Format): boolean =>
  format !== 'plain' && ('read' in formats[format] || format === 'zip' || format === 'compound');

/** Creates a text reader. Documents are read in child processes, so a hostile one cannot crash anything else. */
export function openTextReader({ worker, ...limits }: TextReaderOptions = {}): TextReader {
  const code = worker === undefined ? builtWorker() : worker;
  const processes = code
    ? Array.from({ length: maxProcesses }, () => new ReaderProcess(code, { ...defaultLimits, ...limits }))
    : [];
  const queue = new FairQueue(() => processes);
  return {
    async textOf(bytes, mimeType, fileName, tenant = '') {
      if (bytes.length > maxFileBytes) throw new Error(`It is larger than ${maxFileBytes / mebibyte} MiB.`);
      const file = { bytes, mimeType, name: fileName };
      const format = formatOf(bytes, mimeType, fileName);
      if (!format || !needsProcess(format) || !code) return extractText(file);
      return queue.run(tenant, (readerProcess) => readerProcess.read(file));
    },
    async close() {
      queue.close(closedError());
      await Promise.all(processes.map((readerProcess) => readerProcess.close()));
    },
  };
}
