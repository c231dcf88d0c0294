import { type FileHandle, open } from 'node:fs/promises';
import { jsonLine } from '../../../common/json-line.js';
import type { AuditEntry } from './types.js';

/** A file that receives each entry as a JSON line, for log collectors. */
export interface AuditFile {
  append(entries: readonly AuditEntry[]): Promise<void>;
  /** Reopens the file after rotation. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the file, creating it with owner-only permissions. */
export async function openAuditFile(path: string): Promise<AuditFile> {
  const openNow = () => open(path, 'a', 0o600);
  let file: FileHandle | undefined = await openNow();
  let last: Promise<unknown> = Promise.resolve();
  /** Whether the last line may be incomplete. */
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
