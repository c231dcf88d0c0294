import { ConnectorError, type Source } from '../../../src/authoring.js';
import { getItem, type Item, withKey } from './items.js';

const google = 'application/vnd.google-apps.';
const office = 'application/vnd.openxmlformats-officedocument.';

const mebibyte = 1024 * 1024;
const maxFileBytes = 50 * mebibyte;

/** Export formats for native documents: the best first, then smaller ones. */
const exportFormats: Readonly<Record<string, readonly string[]>> = {
  [`${google}document`]: ['text/markdown', 'text/plain'],
  [`${google}spreadsheet`]: [`${office}spreadsheetml.sheet`, 'text/csv'],
  [`${google}presentation`]: ['text/plain'],
};

const readableType =
  /^text\/(?!rtf$)|^application\/(?:pdf|csv|javascript|sql|toml|typescript|(?:x-)?(?:json5?|jsonlines|ndjson|yaml|xml|sh|tex)|(?!vnd\.google)[\w.-]+\+(?:json|xml)|vnd\.openxmlformats-officedocument\.(?:wordprocessingml\.document|spreadsheetml\.sheet|presentationml\.presentation))$/;
const genericType = /^(?:application|binary)\/octet-stream$/;
const readableName =
  /\.(?:conf|csv|docx|html?|ini|json|jsonl|log|md|markdown|ndjson|pdf|pptx|rst|sql|tex|toml|tsv|txt|xhtml|xlsx|xml|ya?ml)$/i;

const isReadable = ({ mimeType, name }: Item) =>
  readableType.test(mimeType) || (genericType.test(mimeType) && readableName.test(name));

/** The text of a file, or why there is none. */
export type Content =
  | { readonly text: string | null }
  /** `canRetry` if a later attempt may succeed. */
  | { readonly text: null; readonly failure: string; readonly canRetry: boolean };

/** Reads a file's text. Errors that affect only this file are returned; errors that affect all files are thrown. */
export async function contentOf(source: Source, item: Item): Promise<Content> {
  const formats = exportFormats[item.mimeType];
  try {
    if (formats) return { text: await exportText(source, item, formats) };
    if (!isReadable(item)) return { text: null };
    if (Number(item.size ?? 0) > maxFileBytes) throw tooLarge();
    const params = { fileId: item.id, supportsAllDrives: true, ...withKey(item.resourceKey) };
    const { data } = await source.execute('files', 'download', params);
    return { text: await textOf(source, await bytesOf(data), item.mimeType, item.name) };
  } catch (error) {
    source.signal.throwIfAborted();
    if (error instanceof UnreadableFileError) return { text: null, failure: error.message, canRetry: false };
    if (!(error instanceof ConnectorError)) throw error;
    const canRetry = transientErrorCodes.has(error.code);
    if (!canRetry && !fileErrorCodes.has(error.code)) throw error;
    // Distinguishes an error that affects one file from an outage, which ends the run rather than failing every file.
    if (canRetry) await getItem(source, item.id, item.resourceKey);
    return { text: null, failure: error.message, canRetry };
  }
}

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

/** An error that affects only one file's text. */
class UnreadableFileError extends Error {}

const tooLarge = () =>
  new UnreadableFileError(`The file is larger than ${maxFileBytes / mebibyte} MiB, so its text is not indexed.`);

async function exportText(source: Source, item: Item, formats: readonly string[]): Promise<string | null> {
  for (const [index, mimeType] of formats.entries()) {
    try {
      const params = { fileId: item.id, mimeType, ...withKey(item.resourceKey) };
      const { data } = await source.execute('files_export', 'download', params);
      const text = await textOf(source, await bytesOf(data), mimeType, item.name);
      return mimeType === 'text/markdown' && text !== null ? simplifyMarkdown(text) : text;
    } catch (error) {
      const isFormatError =
        error instanceof UnreadableFileError ||
        (error instanceof ConnectorError &&
          (['invalid_params', 'too_large'].includes(error.code) ||
            // Google fails to convert some documents; a page of a gateway says nothing about the format.
            (error.code === 'vendor_error' && error.vendor?.message !== undefined)));
      if (!isFormatError || index === formats.length - 1) throw error;
    }
  }
  return null;
}

/** Google's Markdown without images, which Google inlines at the end, and without most backslashes. */
const simplifyMarkdown = (text: string): string =>
  text
    .replace(/^\[image\d+\]: *<data:[^>\n]*>[ \t]*$/gm, '')
    .replace(/!\[[^[\]]*\]\[image\d+\]/g, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .trimEnd();

async function textOf(source: Source, bytes: Uint8Array, mimeType: string, name: string): Promise<string | null> {
  try {
    return await source.textOf(bytes, mimeType, name);
  } catch (error) {
    throw new UnreadableFileError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** A complete download, up to the maximum size. */
async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.byteLength;
    if (length > maxFileBytes) throw tooLarge();
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}
