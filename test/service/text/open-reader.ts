import type { FileText } from 'agent-connectors/replication';
import { openTextReader as openReader, type TextReaderOptions } from '../../../service/src/data/text/reader.js';

/** A text reader for files in memory. */
export function openTextReader(options: TextReaderOptions = {}) {
  const reader = openReader(options);
  /** What became of a file's text. */
  const read = (bytes: Uint8Array, mimeType: string, name: string, tenant?: string): Promise<FileText> => {
    const download = async () => new Blob([new Uint8Array(bytes)]).stream();
    return reader.textOf({ mimeType, name, size: bytes.length, download }, tenant);
  };
  return {
    read,
    /** The text of a file; null if its format is not read. Rejects if it cannot be read for another reason. */
    async textOf(...file: Parameters<typeof read>): Promise<string | null> {
      const { text, state, cause, detail } = await read(...file);
      if (state === 'not_read' && cause !== 'format') throw new Error(detail);
      return text;
    },
    close: reader.close,
  };
}
