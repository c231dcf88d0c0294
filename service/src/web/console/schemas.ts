import * as z from 'zod';
import { identifier } from '../api/input.js';

/** Body of a request to start a session: a client and its secret, or a link secret. */
export const SignInRequest = z
  .strictObject({
    client_id: identifier(200).optional(),
    client_secret: identifier(500).optional(),
    link: identifier(200).optional(),
  })
  .refine((body) => (body.link === undefined) === (body.client_id !== undefined && body.client_secret !== undefined), {
    error: 'either client_id and client_secret or link is required',
  });

const instant = z.iso.datetime();

/** Status of the connectors. */
export const OverviewResponse = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      connector_type: z.string(),
      title: z.string(),
      workspace_name: z.string(),
      created_at: instant,
      updated_at: instant,
      health: z.enum([
        'ready',
        'syncing',
        'retrying',
        'failing',
        'needs_reauthorization',
        'no_credentials',
        'not_replicated',
      ]),
      records: z.int(),
      synced_at: instant.nullable().describe('Last sync of the entity that is furthest behind.'),
      entities: z.array(z.looseObject({ entity: z.string(), status: z.string() })).describe('As returned by inspect.'),
      job: z.looseObject({ id: z.string(), status: z.string(), progress: z.number() }).nullable(),
    }),
  ),
});

/** Information about a vendor's limits. */
export const QuotaResponse = z.object({
  reported: z
    .array(
      z.object({
        name: z.string(),
        remaining: z.number(),
        limit: z.number().nullable(),
        resets_at: instant.nullable(),
        reported_at: instant,
      }),
    )
    .describe('Values from the vendor’s last responses; empty if it reports none.'),
  limits: z
    .array(z.object({ requests: z.int(), seconds: z.number(), sent: z.int() }))
    .describe('The vendor’s published limits and how much of each this process has used.'),
  sent: z
    .object({ last_minute: z.int(), last_day: z.int(), since: instant })
    .describe('Requests sent by this process.'),
  refused_at: instant.nullable().describe('When the vendor last rate-limited a request.'),
});
