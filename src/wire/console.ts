import * as z from 'zod';
import { OrganizationResponse } from './account.js';
import { identifier, instant } from './fields.js';
import { ConnectorOverviewResponse } from './replica.js';

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

/** The current console session. */
export const SessionResponse = z.object({
  client_id: z.string(),
  name: z.string(),
  scopes: z.array(z.string()).describe('Scopes of the client.'),
  organizations: z.array(OrganizationResponse.pick({ id: true, name: true })),
  expires_at: instant,
  version: z.string(),
  base_url: z.string().nullable().describe('The service’s URL for programs, if configured.'),
  mcp_allow_writes: z.boolean(),
  types: z
    .array(
      z.object({
        name: z.string(),
        title: z.string(),
        description: z.string(),
        mark: z
          .object({ letters: z.string(), color: z.string() })
          .describe('Two letters on a tile in the vendor’s color, #rrggbb.'),
        sync_interval: z.string().nullable().describe('Default interval of syncs; null if it syncs no records.'),
      }),
    )
    .describe('Connector types that can be added.'),
});

/** The current console session. */
export interface ConsoleSession extends z.infer<typeof SessionResponse> {}

/** A stream event: new or changed connectors, and ids of deleted ones. */
export const OverviewChangeEvent = z.object({
  whole: z.boolean().describe('If true, changed lists every connector, so any others have been deleted.'),
  changed: z.array(ConnectorOverviewResponse),
  removed: z.array(z.string()),
});

/** A stream event about connectors. */
export interface OverviewChange extends z.infer<typeof OverviewChangeEvent> {}

/** Query parameters for activity. */
export const ActivityQuery = z.strictObject({
  connector_id: identifier(200).optional().describe('Only this connector.'),
  unit: z.enum(['hour', 'day']).optional().describe('Length of a period (default: hour).'),
  count: z.coerce
    .number<number>()
    .int()
    .min(1)
    .max(336)
    .optional()
    .describe('Periods until now: 1 to 336 hours (default 24), or 1 to 90 days (default 14).'),
  time_zone: identifier(100).optional().describe('Where days start, such as Europe/Berlin (default: UTC).'),
});

const activityCounts = z.object({
  calls: z.int().describe('Action calls that ended.'),
  errors: z.int().describe('Those that failed or were denied.'),
  p50_ms: z.int().nullable().describe('Median duration of the calls, within 10%; null without calls.'),
  p95_ms: z.int().nullable().describe('95th percentile of their duration, within 10%; null without calls.'),
  syncs: z.int().describe('Syncs that ended.'),
  failed_syncs: z.int().describe('Those that failed.'),
  read: z.int().describe('Records that these syncs read.'),
  changed: z.int().describe('Records that they inserted, updated or removed.'),
  failed: z.int().describe('Records that they could not read.'),
});

/** Calls and syncs by hour or day. */
export const ActivityResponse = z.object({
  since: instant.describe('Everything has been counted since then. Earlier periods are omitted: they are unknown.'),
  unit: z.enum(['hour', 'day']),
  data: z
    .array(
      z.object({
        at: z.string().describe('Start of the hour (ISO 8601), or the date.'),
        ...activityCounts.shape,
        records: z.int().nullable().describe('Stored records at the end, if known; only for a single connector.'),
      }),
    )
    .describe('Periods, oldest first.'),
  total: activityCounts.describe('All periods.'),
  connectors: z
    .array(z.object({ connector_id: z.string(), ...activityCounts.shape }))
    .describe('All periods by connector; those without activity are omitted.'),
});

/** Calls and syncs by hour or day. */
export interface ActivitySeries extends z.infer<typeof ActivityResponse> {}
