import * as z from 'zod';
import { action, get, many, one, type RecordShape } from '../../src/authoring.js';
import { listMask } from './masks.js';

/** Path of the API below Google's address. */
export const api = '/drive/v3';

/** An id or token: anything but nothing. */
export const id = (description: string) => z.string().trim().min(1).describe(description);
/** A parameter that may be true or false. */
export const flag = (description: string) => z.boolean().optional().describe(description);
/** The file that an action is about. */
export const fileId = id('The id of the file or folder.');

/** Sent as true: without it an item on a shared drive is not found, and on My Drive it changes nothing. */
export const supportsAllDrives = z.boolean().default(true).describe('Whether to look on shared drives too.');
/** The same where the reference does not list it. */
export const extraSupportsAllDrives = supportsAllDrives.meta({ extension: true });

/** A mask of the caller's own. */
export const fields = z
  .string()
  .trim()
  .min(1)
  .optional()
  .describe('Which fields to send, such as `id,name,owners(emailAddress)`, or `*`; others are then absent, not null.');

/** Parameters of every list, with the vendor's largest page. */
export const pageParams = (maxPageSize: number) => ({
  pageSize: z.int().min(1).max(maxPageSize).optional().describe(`How many to return at most, 1 to ${maxPageSize}.`),
  pageToken: z
    .string()
    .min(1)
    .optional()
    .describe('`nextPageToken` of the previous page; keep all other parameters as they were.'),
});

/** Where a request goes: a path below the API and its query. */
export interface Target {
  readonly path: string;
  readonly query: Record<string, any>;
}

interface ReadSpec<P extends z.core.$ZodObject, T> {
  description: string;
  params: P;
  record: RecordShape<T>;
  /** Fields asked of Google for each record. */
  mask: string;
  target: (params: z.output<P>) => Target;
  example: z.input<NoInfer<P>>;
}

/** Whether the caller chose the fields, whose absence then means what they wanted. */
const hasFieldMask = (params: unknown): boolean => (params as { fields?: string }).fields !== undefined;

/** A list; its records stand under `key` in Google's answer. */
export const listAction = <P extends z.core.$ZodObject, T, M extends z.core.$ZodObject>(
  spec: ReadSpec<P, T> & { key: string; meta: M },
) => {
  const metaKeys = Object.keys(spec.meta._zod.def.shape);
  return action({
    description: spec.description,
    params: spec.params,
    returns: many(spec.record, spec.meta),
    request: (params) => {
      const { path, query } = spec.target(params);
      return get(api + path, { ...query, fields: listMask(query.fields, spec.key, spec.mask, metaKeys) });
    },
    read: (body, params) => ({
      data: body[spec.key] ?? [],
      meta: Object.fromEntries(metaKeys.map((key) => [key, body[key] ?? null])) as z.output<M>,
      asSent: hasFieldMask(params),
    }),
    next: (meta) => {
      const { nextPageToken } = meta as { nextPageToken?: string | null };
      return typeof nextPageToken === 'string' && ({ pageToken: nextPageToken } as object as Partial<z.input<P>>);
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
    request: (params) => {
      const { path, query } = spec.target(params);
      return get(api + path, { ...query, fields: query.fields ?? spec.mask });
    },
    read: (body, params) => ({ data: body, asSent: hasFieldMask(params) }),
    example: spec.example,
  });
