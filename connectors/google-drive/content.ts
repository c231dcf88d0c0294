import {
  ConnectorError,
  type DownloadMeta,
  type HttpRequest,
  path,
  type Steps,
  withHint,
} from '../../src/authoring.js';
import { getJson, keyHeader } from './operations.js';

const native = 'application/vnd.google-apps.';
const isNative = (mimeType: string) => mimeType.startsWith(native);

interface Shortcut {
  readonly targetId: string;
  readonly targetMimeType: string;
  readonly targetResourceKey?: string;
}

interface FoundFile {
  readonly mimeType: string;
  readonly shortcutDetails?: Shortcut;
  readonly exportLinks?: Readonly<Record<string, string>>;
}

/** A file and its resource key, if it needs one. */
interface FileReference {
  readonly fileId: string;
  readonly resourceKey?: string | undefined;
}

const refusals = new Set(['not_downloadable', 'not_exportable', 'too_large']);

/**
 * The content of a file, or of a shortcut's target, since Google cannot download shortcuts. `exportType` is the export
 * format. If the content is not available through this action, the error points to the correct action.
 */
export function* contentOf(file: FileReference, request: (fileId: string) => HttpRequest, exportType?: string): Steps {
  const requestFor = ({ fileId, resourceKey }: FileReference): HttpRequest => {
    const plain = request(fileId);
    return { ...plain, headers: { ...plain.headers, ...keyHeader(fileId, resourceKey) } };
  };
  try {
    return yield requestFor(file);
  } catch (error) {
    if (!isRefusal(error, exportType)) throw error;
    const found = yield* metadataOf(file, error);
    const { shortcutDetails: shortcut } = found;
    if (!shortcut) throw withHint(error, hintFor(file.fileId, found, exportType));
    const target = { fileId: shortcut.targetId, resourceKey: shortcut.targetResourceKey };
    try {
      const { data, meta }: { data: unknown; meta: DownloadMeta } = yield requestFor(target);
      return {
        data,
        meta: { ...meta, notes: [`${file.fileId} is a shortcut; its target, ${target.fileId}, was returned.`] },
      };
    } catch (targetError) {
      if (!isRefusal(targetError, exportType)) throw targetError;
      const hint = hintFor(target.fileId, yield* metadataOf(target, targetError), exportType);
      throw withHint(targetError, `${file.fileId} is a shortcut to ${target.fileId}. ${hint}`);
    }
  }
}

const isRefusal = (error: unknown, exportType: string | undefined): error is ConnectorError =>
  ConnectorError.is(error) && (refusals.has(error.code) || (exportType !== undefined && isUnknownFormat(error)));

/** Whether Google does not convert this file to the format. */
const isUnknownFormat = ({ code, issues = [] }: ConnectorError): boolean =>
  code === 'invalid_params' && issues.some(({ path }) => path === 'mimeType');

/** Fetches the fields that locate a file's content; if that fails, the original error is thrown. */
function* metadataOf(
  { fileId, resourceKey }: FileReference,
  refusal: ConnectorError,
): Generator<HttpRequest, FoundFile, any> {
  const fields = 'mimeType,shortcutDetails,exportLinks';
  try {
    return yield {
      ...getJson(path`/files/${fileId}`, { fields, supportsAllDrives: true }),
      headers: keyHeader(fileId, resourceKey),
    };
  } catch {
    throw refusal;
  }
}

function hintFor(fileId: string, { mimeType, exportLinks = {} }: FoundFile, exportType: string | undefined): string {
  const formats = Object.keys(exportLinks);
  if (mimeType === `${native}folder`)
    return `${fileId} is a folder and has no content. To list its items, use files.list with q "'${fileId}' in parents".`;
  if (!isNative(mimeType)) return `${fileId} is not a native Google document. Use files.download with that fileId.`;
  if (exportType === undefined && formats.length > 0)
    return `${fileId} is a native Google document. Use files_export.download with that fileId and one of ${formats.join(', ')}.`;
  const link = exportType && exportLinks[exportType];
  if (link)
    return `API exports are limited to 10 MB. ${link} has no size limit: request it with the access token in the Authorization header, then follow the redirect without the token.`;
  return formats.length > 0
    ? `${fileId} can be exported as ${formats.join(', ')}.`
    : `Files of type ${mimeType} cannot be downloaded or exported. See exportFormats from about.get for supported exports, or open the file's webViewLink (from files.get) in a browser.`;
}
