import { ConnectorError, type FileText, type Source } from '../../../src/authoring.js';
import { getItem, type Item, withKey } from './items.js';

const google = 'application/vnd.google-apps.';
const office = 'application/vnd.openxmlformats-officedocument.';

/** Export formats for native documents: the best first, then smaller ones. */
const exportFormats: Readonly<Record<string, readonly string[]>> = {
  [`${google}document`]: ['text/markdown', 'text/plain'],
  [`${google}spreadsheet`]: [`${office}spreadsheetml.sheet`, 'text/csv'],
  [`${google}presentation`]: ['text/plain'],
};

/** What became of a file's text. */
export interface Content extends FileText {
  /** Whether a later attempt may succeed. */
  readonly canRetry?: boolean;
}

/** Reads a file's text. Errors that affect only this file are returned; errors that affect all files are thrown. */
export async function contentOf(source: Source, item: Item): Promise<Content> {
  const { id, name, mimeType, size, resourceKey } = item;
  const formats = exportFormats[mimeType];
  try {
    if (formats) return await exportText(source, item, formats);
    if (mimeType.startsWith(google)) return notExported;
    return await source.textOf({
      name,
      mimeType,
      size: size === undefined ? undefined : Number(size),
      download: async () =>
        (await source.execute('files', 'download', { fileId: id, supportsAllDrives: true, ...withKey(resourceKey) }))
          .data,
    });
  } catch (error) {
    source.signal.throwIfAborted();
    if (!(error instanceof ConnectorError)) throw error;
    const canRetry = transientErrorCodes.has(error.code);
    if (!canRetry && !fileErrorCodes.has(error.code)) throw error;
    // Distinguishes an error that affects one file from an outage, which ends the run rather than failing every file.
    if (canRetry) await getItem(source, item.id, item.resourceKey);
    const cause = error.code === 'too_large' ? 'too_large' : 'download';
    return { text: null, state: 'not_read', cause, detail: error.message, canRetry };
  }
}

const notExported: Content = {
  text: null,
  state: 'not_read',
  cause: 'format',
  detail: 'Google does not export the text of this type.',
  permanent: true,
};

const fileErrorCodes = new Set<string>([
  'forbidden',
  'invalid_params',
  'not_downloadable',
  'not_exportable',
  'not_found',
  'too_large',
]);
const transientErrorCodes = new Set<string>([
  'invalid_response',
  'network',
  'quota_exhausted',
  'timeout',
  'vendor_error',
]);

/** The text of a native document, in the best format that Google exports and that can be read. */
async function exportText(source: Source, item: Item, formats: readonly string[]): Promise<Content> {
  const [mimeType, ...others] = formats as [string, ...string[]];
  const params = { fileId: item.id, mimeType, ...withKey(item.resourceKey) };
  const download = async () => (await source.execute('files_export', 'download', params)).data;
  try {
    const content = await source.textOf({ name: item.name, mimeType, download });
    if (content.state === 'not_read' && others.length > 0) return await exportText(source, item, others);
    return mimeType === 'text/markdown' && content.text !== null
      ? { ...content, text: simplifyMarkdown(content.text) }
      : content;
  } catch (error) {
    const isFormatError =
      error instanceof ConnectorError &&
      (['invalid_params', 'too_large'].includes(error.code) ||
        // Google fails to convert some documents; a page of a gateway says nothing about the format.
        (error.code === 'vendor_error' && error.vendor?.message !== undefined));
    if (!isFormatError || others.length === 0) throw error;
    return exportText(source, item, others);
  }
}

/** Google's Markdown without images, which Google inlines at the end, and without most backslashes. */
const simplifyMarkdown = (text: string): string =>
  text
    .replace(/^\[image\d+\]: *<data:[^>\n]*>[ \t]*$/gm, '')
    .replace(/!\[[^[\]]*\]\[image\d+\]/g, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .trimEnd();
