import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import type { DownloadMeta, Result } from '../../action/result.js';
import type { Manifest } from '../../manifest/manifest.js';
import type { CommandCall } from '../arguments/specification.js';
import type { RunningConnector } from '../definitions.js';
import { failure, usageError } from '../failure.js';
import { labelOf } from '../output/field-order.js';
import { isRecord } from '../output/table.js';

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
  const [{ save }, { withProgress }] = await Promise.all([
    import('../../node/save.js'),
    import('../output/progress.js'),
  ]);
  const output = flags.output!;
  const { content_length, content_type, file_name } = meta as DownloadMeta;
  const isFolder = /[/\\]$/.test(output) || (await stat(output).catch(() => undefined))?.isDirectory() === true;
  const name = file_name ?? (isFolder ? withExtension(await recordName(source, call), content_type) : null);
  const stream = withProgress(data as ReadableStream<Uint8Array>, content_length, environment);
  const download = { data: stream, meta: { content_length, file_name: name } };
  return { data: await save(download, output, { overwrite: flags.force === true }), meta };
}

/** The name of the downloaded record, from the `get` that needs nothing but the download's parameters, if there is one. */
async function recordName(
  { connector, manifest }: DownloadSource,
  { argument: { entity, params = {} }, environment: { signal } }: CommandCall,
): Promise<string> {
  const own = Object.entries(manifest?.entities ?? {}).sort(
    ([one], [other]) => Number(other === entity) - Number(one === entity),
  );
  for (const [name, { actions }] of own) {
    const schema = actions.get?.params;
    if (!(schema instanceof z.core.$ZodObject)) continue;
    const { shape } = schema._zod.def;
    const shared = Object.fromEntries(Object.entries(params).filter(([key]) => Object.hasOwn(shape, key)));
    if (Object.keys(shared).length === 0 || !z.safeParse(schema, shared).success) continue;
    // A download is worth more than its name, which a policy may hide.
    const { data } = await connector.execute(name, 'get', shared, { signal }).catch(() => ({ data: undefined }));
    return (isRecord(data) ? labelOf(data) : undefined) ?? 'download';
  }
  return 'download';
}

/** Extensions of the types that vendors export documents and recordings as. */
const extensions: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/zip': 'zip',
  'audio/mpeg': 'mp3',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'video/mp4': 'mp4',
};

/** A name that ends in the extension of its content, so that programs open it. */
function withExtension(name: string, contentType: string | null): string {
  const [type = ''] = (contentType ?? '').toLowerCase().split(/\s*;/);
  const extension = extensions[type];
  // What follows a dot in the name of a document is part of its title, unless it is short and has no space.
  return extension === undefined || /\.[a-z0-9]{1,5}$/i.test(name) ? name : `${name}.${extension}`;
}
