import { type Call, get, type HttpRequest, path, reading, type Settlement } from '../../src/authoring.js';
import { masks } from './masks.js';
import { api } from './operations.js';

const native = 'application/vnd.google-apps.';
const typesWithReservedIds: ReadonlySet<string> = new Set([`${native}folder`, `${native}drive-sdk`]);

/** The metadata of a file, wherever it lies. */
const getFileRequest = (fileId: string, fields: string = masks.file): HttpRequest =>
  get(api + path`/files/${fileId}`, { fields, supportsAllDrives: true });

/**
 * An id that Google has set aside for a new file, where the call may have to be settled later.
 *
 * Google takes none for native documents, whether they are made empty or by converting content.
 */
export function* reservedId(
  { once }: Call,
  mimeType: string | undefined,
): Generator<HttpRequest, string | undefined, any> {
  if (!once || (mimeType?.startsWith(native) && !typesWithReservedIds.has(mimeType))) return undefined;
  if (once.id) return once.id;
  const { ids } = yield reading(get(`${api}/files/generateIds`, { count: 1, fields: 'ids' }));
  return String(ids[0]);
}

/** A file that is made under an id of ours is there once at most, and found by it. */
export const byId = (id: string | undefined, read: Settlement['read'] = (body) => body): Settlement | undefined =>
  id === undefined ? undefined : { by: 'id', id, request: getFileRequest(id), read };

/** Ids are never used again, so that a file which is gone was deleted. */
export const byAbsence = (id: string): Settlement => ({
  by: 'absence',
  id,
  request: getFileRequest(id, 'id'),
  read: () => null,
});

interface FileChange {
  readonly addParents?: string | undefined;
  readonly removeParents?: string | undefined;
  readonly json: Readonly<Record<string, unknown>>;
}

/** A change shows by the values and the place that the file was to have. */
export function byValues(id: string, { addParents, removeParents, json }: FileChange): Settlement {
  const hasValues = (file: any): boolean => {
    const isParent = (parent: string) => (file.parents ?? []).includes(parent);
    return (
      Object.entries(json).every(([name, wanted]) => (file[name] ?? '') === wanted) &&
      splitIds(addParents).every(isParent) &&
      !splitIds(removeParents).some(isParent)
    );
  };
  return { by: 'values', id, request: getFileRequest(id), read: (file) => (hasValues(file) ? file : undefined) };
}

const splitIds = (ids: string | undefined): string[] => (ids ? ids.split(',').map((one) => one.trim()) : []);
