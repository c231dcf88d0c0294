import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import type { DownloadMeta, Result } from '../../action/result.js';
import type { Manifest } from '../../manifest/manifest.js';
import { safeName, save } from '../../node/save.js';
import type { CommandCall } from '../arguments/specification.js';
import type { RunningConnector } from '../definitions.js';
import { failure, usageError } from '../failure.js';
import { labelOf } from '../output/field-order.js';
import { isRecord, type Row } from '../output/table.js';

/** Rejects an unusable download target before anything is fetched. */
export async function checkDownloadTarget(output: string, overwrite = false): Promise<void> {
  if (output === '-') {
    throw usageError('--output must be a file or a folder: downloads are not written to standard output.', {
      hint: 'For a file named -, pass ./-',
    });
  }
  const folder = resolve(/[/\\]$/.test(output) ? output : dirname(output));
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw usageError(`--output: folder ${folder} not found.`, { hint: 'Create it first.' });
  // A folder's file gets the vendor's name, which is known only from the response.
  const target = folder === resolve(output) ? undefined : await stat(output).catch(() => undefined);
  if (!target || target.isDirectory()) return;
  if (!target.isFile()) throw usageError(`--output: ${resolve(output)} is not a regular file.`);
  if (!overwrite) {
    throw failure('conflict', `File ${resolve(output)} already exists, so nothing was requested.`, {
      hint: 'Pass --force to replace it.',
    });
  }
}

/** What a download was made with. */
interface DownloadSource {
  readonly connector: RunningConnector;
  readonly manifest: Manifest | undefined;
}

/** Writes a download to `--output`; in a folder, under the vendor's file name or the name of the record. */
export async function saveDownload({ data, meta }: Result, source: DownloadSource, call: CommandCall): Promise<object> {
  const { flags, environment } = call;
  const { withProgress } = await import('../output/progress.js');
  const output = flags.output!;
  const { content_length, content_type, file_name } = meta as DownloadMeta;
  const isFolder = /[/\\]$/.test(output) || (await stat(output).catch(() => undefined))?.isDirectory() === true;
  const name = file_name ?? (isFolder ? fileNameOf(await recordOf(source, call), content_type) : null);
  const stream = withProgress(data as ReadableStream<Uint8Array>, content_length, environment);
  const download = { data: stream, meta: { content_length, file_name: name } };
  return { data: await save(download, output, { overwrite: flags.force === true }), meta };
}

/** The downloaded record, from a `get` that takes the download's id, if there is one. */
async function recordOf(
  { connector, manifest }: DownloadSource,
  { argument: { entity, params = {} }, environment: { signal } }: CommandCall,
): Promise<Row> {
  const get = manifest && getOf(manifest, entity, params);
  if (!get) return {};
  // A download is worth more than its name, which a policy may hide.
  const { data } = await connector
    .execute(get.entity, 'get', get.params, { signal })
    .catch(() => ({ data: undefined }));
  return isRecord(data) ? data : {};
}

interface Get {
  readonly entity: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The `get` that accepts a download's parameters, or an id in them that the manifest relates to another entity. */
function getOf({ entities, relations }: Manifest, entity: string, params: Record<string, unknown>): Get | undefined {
  const accepted = (name: string, values: Readonly<Record<string, unknown>>): Get | undefined => {
    const schema = entities[name]?.actions.get?.params;
    if (!(schema instanceof z.core.$ZodObject)) return undefined;
    const shared = Object.fromEntries(
      Object.entries(values).filter(([key]) => Object.hasOwn(schema._zod.def.shape, key)),
    );
    const isAccepted = Object.keys(shared).length > 0 && z.safeParse(schema, shared).success;
    return isAccepted ? { entity: name, params: shared } : undefined;
  };
  const related = Object.entries(relations?.[entity] ?? {}).map(
    ([path, target]) => [target, { id: path.split('.').reduce(fieldOf, params) }] as const,
  );
  const own = [entity, ...Object.keys(entities)].map((name) => [name, params] as const);
  for (const [name, values] of [...own, ...related]) {
    const get = accepted(name, values);
    if (get) return get;
  }
  return undefined;
}

/** A field of an object; of a list, its only item. */
function fieldOf(value: unknown, name: string): unknown {
  const field = isRecord(value) ? value[name] : undefined;
  return Array.isArray(field) && field.length === 1 ? field[0] : field;
}

/** Extensions of the types that vendors export documents and recordings as, the usual one first. */
const extensions: Readonly<Record<string, readonly string[]>> = {
  'application/epub+zip': ['epub'],
  'application/json': ['json'],
  'application/pdf': ['pdf'],
  'application/rtf': ['rtf'],
  'application/vnd.oasis.opendocument.presentation': ['odp'],
  'application/vnd.oasis.opendocument.spreadsheet': ['ods'],
  'application/vnd.oasis.opendocument.text': ['odt'],
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': ['pptx'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['xlsx'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['docx'],
  'application/zip': ['zip'],
  'audio/mpeg': ['mp3'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/png': ['png'],
  'image/svg+xml': ['svg'],
  'text/csv': ['csv'],
  'text/html': ['html', 'htm'],
  'text/markdown': ['md', 'markdown'],
  'text/plain': ['txt'],
  'text/tab-separated-values': ['tsv'],
  'video/mp4': ['mp4', 'm4v'],
};

const known = new Set(Object.values(extensions).flat());
/** Types of many formats, such as program code and the documents of office programs. */
const general = new Set(['application/zip', 'text/plain']);

/**
 * A record's title as a file name that ends in the extension of the content, so that programs open it. An extension of
 * another type is replaced: it is that of the document that was exported.
 */
function fileNameOf(record: Row, contentType: string | null): string {
  // A slash in a title separates words, not folders.
  const name = safeName((labelOf(record) ?? '').replaceAll(/[/\\]/g, '_'));
  const [type = ''] = (contentType ?? '').toLowerCase().split(/\s*;/);
  // Of a type such as `application/x+json`, the suffix is the format.
  const [usual, ...others] = extensions[type] ?? extensions[type.replace(/\/.*\+/, '/')] ?? [];
  const isExport = (record.mimeType ?? type) !== type;
  if (usual === undefined || (general.has(type) && !isExport)) return name;
  // A number after a dot is a version.
  const present = /\.([a-z0-9]{0,8}[a-z][a-z0-9]{0,8})$/i.exec(name)?.[1]?.toLowerCase();
  if (present !== undefined && [usual, ...others].includes(present)) return name;
  const isReplaced = present !== undefined && known.has(present);
  return `${isReplaced ? name.slice(0, -present.length - 1) : name}.${usual}`;
}
