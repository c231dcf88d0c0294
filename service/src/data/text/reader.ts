import type { FileText, SourceFile } from 'agent-connectors/replication';
import { builtFile } from '../../common/built-file.js';
import { FairQueue } from '../../common/fair-queue.js';
import { declaredFormat, formatOf } from './detect.js';
import { downloadFile } from './download.js';
import { extractText, type File, notRead, unsupported } from './extract.js';
import { type Format, formats } from './formats.js';
import { closedError, type ReaderLimits, ReaderProcess } from './reader-process.js';

/** Extracts text from files. */
export interface TextReader {
  /**
   * Downloads a file and extracts its text. Rejects only if the download does.
   *
   * Tenants take turns, and one tenant never occupies every process.
   */
  textOf(file: SourceFile, tenant?: string): Promise<FileText>;
  /** Cancels running reads. */
  close(): Promise<void>;
}

/** Options for a text reader. */
export interface TextReaderOptions extends Partial<ReaderLimits> {
  /** The script that child processes run (default: the one built next to this file); null reads files in this process. */
  readonly worker?: URL | null | undefined;
  /** Whether to include content that a file's author has hidden, such as rows, sheets and slides; it is marked. */
  readonly indexesHidden?: boolean | undefined;
}

const mebibyte = 1024 * 1024;
const maxFileBytes = 50 * mebibyte;
/** Two, so that one tenant's files never block another's; the second starts when two tenants read concurrently. */
const maxProcesses = 2;

const defaultLimits: ReaderLimits = { timeLimitMs: 30_000, heapMiB: 512, memoryMiB: 1024, idleMs: 60_000 };

/** The worker script; without it, documents are read in this process. */
const builtWorker = (): URL | null => builtFile(new URL('./text-worker.js', import.meta.url));

/** Whether files of a format may have text: archives and compound files may be documents. */
const mayHaveText = (format: Format): boolean => 'read' in formats[format] || format === 'zip' || format === 'compound';

const tooLarge = notRead(
  'too_large',
  `The file is larger than ${maxFileBytes / mebibyte} MiB, so its text is not indexed.`,
);

/** Creates a text reader. Documents are read in child processes, so a hostile one cannot crash anything else. */
export function openTextReader({ worker, indexesHidden, ...limits }: TextReaderOptions = {}): TextReader {
  const code = worker === undefined ? builtWorker() : worker;
  const processes = code
    ? Array.from({ length: maxProcesses }, () => new ReaderProcess(code, { ...defaultLimits, ...limits }))
    : [];
  const queue = new FairQueue(() => processes);
  const extract = (file: File, tenant: string): Promise<FileText> => {
    const format = formatOf(file.bytes, file.mimeType, file.name);
    const isParsed = format !== undefined && format !== 'plain' && mayHaveText(format);
    return code && isParsed ? queue.run(tenant, (readerProcess) => readerProcess.read(file)) : extractText(file);
  };
  return {
    async textOf({ mimeType, name, size = 0, download }, tenant = '') {
      const declared = declaredFormat(mimeType, name);
      if (declared === 'media') return unsupported(declared);
      if (size > maxFileBytes && declared && 'read' in formats[declared]) return tooLarge;
      const downloaded = await downloadFile(await download(), maxFileBytes, (start) => {
        const format = formatOf(start, mimeType, name);
        return format !== undefined && mayHaveText(format);
      });
      if ('bytes' in downloaded) return extract({ ...downloaded, mimeType, name, indexesHidden }, tenant);
      if (downloaded.cancelled === 'too large') return tooLarge;
      return unsupported(formatOf(downloaded.start, mimeType, name));
    },
    async close() {
      queue.close(closedError());
      await Promise.all(processes.map((readerProcess) => readerProcess.close()));
    },
  };
}
