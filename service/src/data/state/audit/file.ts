import { type FileHandle, open } from 'node:fs/promises';
import { jsonLine } from '../../../common/json-line.js';
import type { AuditEntry } from './types.js';

/** A file that gets each entry as a line of JSON, for a program that collects logs. */
export interface AuditFile {
  append(entries: readonly AuditEntry[]): Promise<void>;
  /** Opens the file of this name anew, after it was renamed. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the file, which is made for its owner alone where there is none. */
export async function openAuditFile(path: string): Promise<AuditFile> {
  const openNow = () => open(path, 'a', 0o600);
  let file: FileHandle | undefined = await openNow();
  let last: Promise<unknown> = Promise.resolve();
  /** Whether the last line may have been cut off. */
  let isTorn = false;
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
  const close = async () => {
    const before = file;
    file = undefined;
    await before?.close();
  };
  return {
    append: (entries) =>
      inOrder(async () => {
        file ??= await openNow();
        const lines = entries.map(jsonLine).join('');
        const text = isTorn ? `\n${lines}` : lines;
        isTorn = true;
        await file.appendFile(text);
        isTorn = false;
      }),
    reopen: () =>
      inOrder(async () => {
        await close();
        isTorn = false;
        file = await openNow();
      }),
    close: () => inOrder(close),
  };
}
