import { type Call, type HttpRequest, path, reading, type Settlement } from '../../src/authoring.js';
import { masks } from './masks.js';
import { getJson, keyHeader } from './operations.js';

const native = 'application/vnd.google-apps.';
const typesWithReservedIds: ReadonlySet<string> = new Set([`${native}folder`, `${native}drive-sdk`]);

/** The metadata of a file in any drive. */
const getFileRequest = (fileId: string, fields: string = masks.file, resourceKey?: string): HttpRequest => ({
  ...getJson(path`/files/${fileId}`, { fields, supportsAllDrives: true }),
  headers: keyHeader(fileId, resourceKey),
  requires: ['id'],
});

/**
 * Reserves an id for a new file if a later call may have to determine the outcome of the write.
 *
 * Google does not accept reserved ids for native documents, whether created empty or by conversion.
 */
export function* reservedId(
  { once }: Call,
  mimeType: string | undefined,
): Generator<HttpRequest, string | undefined, any> {
  if (!once || (mimeType?.startsWith(native) && !typesWithReservedIds.has(mimeType))) return undefined;
  if (once.id) return once.id;
  const { ids } = yield reading(getJson('/files/generateIds', { count: 1, fields: 'ids' }));
  return String(ids[0]);
}

/** A file with a reserved id can exist only once and is found by that id. */
export const byId = (id: string | undefined, read: Settlement['read'] = (body) => body): Settlement | undefined =>
  id === undefined ? undefined : { by: 'id', id, request: getFileRequest(id), read };

/** Ids are never reused, so a missing file was deleted. */
export const byAbsence = (id: string, resourceKey?: string): Settlement => ({
  by: 'absence',
  id,
  request: getFileRequest(id, 'id', resourceKey),
  read: () => null,
});

interface FileChange {
  readonly addParents?: string | undefined;
  readonly removeParents?: string | undefined;
  readonly json: Readonly<Record<string, unknown>>;
  readonly resourceKey?: string | undefined;
}

/** An update is verified by comparing the file with its intended values and location. */
export function byValues(id: string, { addParents, removeParents, json, resourceKey }: FileChange): Settlement {
  const hasValues = (file: any): boolean => {
    const isParent = (parent: string) => (file.parents ?? []).includes(parent);
    return (
      Object.entries(json).every(([name, wanted]) => (file[name] ?? '') === wanted) &&
      splitIds(addParents).every(isParent) &&
      !splitIds(removeParents).some(isParent)
    );
  };
  const request = getFileRequest(id, masks.file, resourceKey);
  return { by: 'values', id, request, read: (file) => (hasValues(file) ? file : undefined) };
}

const splitIds = (ids: string | undefined): string[] => (ids ? ids.split(',').map((one) => one.trim()) : []);
