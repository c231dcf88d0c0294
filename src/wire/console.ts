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
