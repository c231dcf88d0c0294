import * as z from 'zod';

/** A byte range as in HTTP: a single range whose end is not before its start. */
export const byteRange = z
  .string()
  .regex(/^bytes=(\d+-\d*|-\d+)$/, 'must be a single byte range, such as bytes=0-1023')
  .refine((range) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? [];
    return from === undefined || Number(from) <= Number(to);
  }, 'ends before it starts')
  .optional()
  .describe('A single byte range, such as bytes=0-1023 or bytes=-500; see meta.content_range for the range returned.');
