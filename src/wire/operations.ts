import * as z from 'zod';

/** Body of every error. */
export const ErrorResponse = z.object({
  message: z.string(),
  code: z.string(),
  errors: z.array(
    z.object({
      field: z.string(),
      message: z.string(),
      error_code: z.string(),
      details: z.record(z.string(), z.unknown()).nullable(),
    }),
  ),
  hint: z.string().nullable(),
  retryable: z.boolean(),
  retry_after_ms: z.number().nullable(),
  request_id: z.string(),
  vendor: z
    .object({
      code: z.string().nullable(),
      message: z.string().nullable(),
      request_id: z.string().nullable(),
      status: z.int().nullable(),
    })
    .nullable(),
  docs: z.string(),
});

/** An error. */
export interface ServiceError extends z.infer<typeof ErrorResponse> {}

/** Liveness. */
export const HealthResponse = z.object({ status: z.literal('ok') });

/** Readiness. */
export const ReadyResponse = z.object({
  status: z.enum(['ready', 'unavailable']),
  nodes: z
    .object({ available: z.int(), total: z.int() })
    .optional()
    .describe('Nodes of a Citus cluster that store records. While one is down, the records on it are unavailable.'),
});

/** The API reference. */
export const ReferenceResponse = z.looseObject({ openapi: z.string() });
