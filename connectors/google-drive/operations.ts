import * as z from 'zod';
import {
  action,
  ConnectorError,
  get,
  type HttpRequest,
  idParam,
  many,
  one,
  type Query,
  type RecordShape,
} from '../../src/authoring.js';
import { fileIdIn } from './file-url.js';
import { listMask } from './masks.js';

/** Path of the API. */
export const api = '/drive/v3';

/** The id of something that has no URL of its own. */
export const id = (description: string, expected: string) => idParam(description, { expected });
/** The id of a file, folder or shared drive, or its URL. */
export const fileIdParam = (description: string, { hasKey = false } = {}) =>
  idParam(description, {
    find: (url) => fileIdIn(url, hasKey),
    expected: "the file's id, such as 1dyUEebJaFnWa3Z4n0BFMVAXQ7mfUH11g, or the URL from the browser's address bar",
  });
/** Ids or URLs of folders, separated by commas. */
export const folderIds = z
  .string()
  .overwrite((text) =>
    text
      .split(',')
      .map((part) => fileIdParam('').safeParse(part).data ?? part)
      .join(','),
  )
  .min(1)
  .refine(
    (text) => text.split(',').every((part) => fileIdParam('').safeParse(part).success),
    'must be ids of folders, separated by commas; URLs of folders also work',
  );
/** A boolean parameter. */
export const flag = (description: string) => z.boolean().optional().describe(description);
/** The file that an action applies to. */
export const fileId = fileIdParam('The id of the file or folder.', { hasKey: true });

/** The resource key of a file shared by link before 2021. */
export const resourceKey = z
  .string()
  .regex(/^[\w-]+$/, 'must be a resource key, such as 0-aBcDeFgH')
  .optional()
  .describe(
    'Key required for some files shared by link before 2021: `resourcekey` in the link, `resourceKey` in records.',
  )
  .meta({ extension: true });

/** The header that carries a file's resource key (developers.google.com/workspace/drive/api/guides/resource-keys). */
export const keyHeader = (fileId: unknown, resourceKey: unknown): Record<string, string> =>
  resourceKey === undefined ? {} : { 'x-goog-drive-resource-keys': `${fileId}/${resourceKey}` };

/** Requests compact JSON: whitespace would otherwise be more than half of the response. */
export const compact = { prettyPrint: false } as const;

/** A GET that returns JSON. */
export const getJson = (path: string, query?: Query): HttpRequest => get(api + path, { ...query, ...compact });

/** True by default, since items on shared drives would otherwise not be found. It has no effect on My Drive. */
export const supportsAllDrives = z.boolean().default(true).describe('Whether to include shared drives.');
/** `supportsAllDrives` for actions whose API reference omits it. */
export const extraSupportsAllDrives = supportsAllDrives.meta({ extension: true });

/** The caller's own mask. */
export const fields = z
  .string()
  .trim()
  .min(1)
  .optional()
  .describe('Fields to return, such as `id,name,owners(emailAddress)`, or `*`; other fields are absent, not null.');

/** Parameters of every list, with the vendor's maximum page size. */
export const pageParams = (maxPageSize: number) => ({
  pageSize: z.int().min(1).max(maxPageSize).optional().describe(`Page size, 1 to ${maxPageSize}.`),
  pageToken: z
    .string()
    .min(1)
    .optional()
    .describe('`nextPageToken` from the previous page; keep all other parameters unchanged.'),
});

/** Where to send a request: a path below the API's base path, and its query. */
export interface Target {
  readonly path: string;
  readonly query: Record<string, any>;
}

interface ReadSpec<P extends z.core.$ZodObject, T> {
  description: string;
  params: P;
  record: RecordShape<T>;
  /** Fields to request for each record. */
  mask: string;
  target: (params: Omit<z.output<P>, 'resourceKey'>) => Target;
  example: z.input<NoInfer<P>>;
}

/** The request for a target; a resource key parameter becomes a header. */
function requestFor<P extends z.core.$ZodObject>(
  { target }: Pick<ReadSpec<P, unknown>, 'target'>,
  params: z.output<P>,
  mask: (own: string | undefined) => string,
): HttpRequest {
  const { resourceKey, ...rest } = params as { resourceKey?: string; fileId?: string };
  const { path, query } = target(rest as z.output<P>);
  return {
    ...getJson(path, { ...query, fields: mask(query.fields) }),
    headers: keyHeader(rest.fileId, resourceKey),
  };
}

/** Whether the caller chose the fields, in which case missing ones are intentional. */
const hasFieldMask = (params: unknown): boolean => (params as { fields?: string }).fields !== undefined;

/** Whether the caller's mask includes a field of the response, such as `kind`, which every response has. */
const requestsField = (params: unknown, name: string): boolean => {
  const topLevel = (params as { fields: string }).fields.replace(/\([^()]*(?:\([^()]*\)[^()]*)*\)|\/[^,]*/g, '');
  return topLevel.split(',').some((field) => field.trim() === name);
};

/** Rejects JSON that is not from Drive, such as a proxy's message, which would look like an empty list or record. */
function requireFields(body: unknown, names: readonly string[]): void {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const found = isObject ? Object.keys(body) : [];
  if (names.some((name) => found.includes(name))) return;
  throw new ConnectorError('invalid_response', "Google Drive's response has none of the expected fields.");
}

/** One raw page of a list. */
interface ListPage<P> {
  readonly params: P;
  readonly body: any;
  readonly data: any;
}

/** A list, whose records are under `key` in Google's response. */
export const listAction = <P extends z.core.$ZodObject, T, M extends z.core.$ZodObject>(
  spec: ReadSpec<P, T> & {
    key: string;
    meta: M;
    /** Notes on what a page omits or includes by default. */
    notes?: (page: ListPage<z.output<NoInfer<P>>>) => Array<string | false>;
  },
) => {
  const metaKeys = Object.keys(spec.meta._zod.def.shape).filter((key) => key !== 'notes');
  return action({
    description: spec.description,
    params: spec.params,
    returns: many(spec.record, spec.meta),
    request: (params) => requestFor(spec, params, (own) => listMask(own, spec.key, spec.mask, metaKeys)),
    read: (body, params) => {
      const asSent = hasFieldMask(params);
      // With another mask, an empty page may have no field at all.
      if (!asSent || requestsField(params, 'kind')) {
        requireFields(body, ['kind', spec.key, ...metaKeys]);
        // Google sends an empty list as one: a response without it says nothing about the records.
        if (!asSent || requestsField(params, spec.key)) requireFields(body, [spec.key]);
      }
      const data = body[spec.key] ?? [];
      return {
        data,
        meta: Object.fromEntries(metaKeys.map((key) => [key, body[key] ?? null])) as z.output<M>,
        notes: spec.notes?.({ params, body, data }),
        asSent,
      };
    },
    next: (meta) => {
      const { nextPageToken } = meta as { nextPageToken?: string | null };
      // Google omits the token of the last page, so an empty one is a fault.
      return (
        typeof nextPageToken === 'string' &&
        ({ pageToken: nextPageToken || undefined } as object as Partial<z.input<P>>)
      );
    },
    example: spec.example,
  });
};

/** One record. */
export const getAction = <P extends z.core.$ZodObject, T>(spec: ReadSpec<P, T>) =>
  action({
    description: spec.description,
    params: spec.params,
    returns: one(spec.record),
    request: (params) => requestFor(spec, params, (own) => own ?? spec.mask),
    read: (body, params) => {
      const asSent = hasFieldMask(params);
      if (!asSent) requireFields(body, ['kind', ...spec.record.keys]);
      return { data: body, asSent };
    },
    example: spec.example,
  });

const metadataScopes = ['drive', 'drive.readonly', 'drive.file', 'drive.metadata', 'drive.metadata.readonly'];
const contentScopes = ['drive', 'drive.readonly', 'drive.file'];
const writeScopes = ['drive', 'drive.file'];

/** Scopes by action, from the API's discovery document. */
export const scopes = {
  '*': metadataScopes,
  'files.create': writeScopes,
  'files.update': [...writeScopes, 'drive.metadata'],
  'files.delete': writeScopes,
  'files.download': contentScopes,
  files_export: contentScopes,
  files_upload: writeScopes,
  drives: ['drive', 'drive.readonly'],
  comments: contentScopes,
  replies: contentScopes,
};
