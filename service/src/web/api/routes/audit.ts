import * as z from 'zod';
import { momentOf } from '../../../common/moment.js';
import type { AuditEntry } from '../../../data/state/audit/types.js';
import { fieldError } from '../../../domain/http-error.js';
import { identifier, invalidError } from '../../../domain/validate.js';
import { type Route, route } from '../route.js';

const Entry = z.object({
  seq: z.number().int().describe('Place in the log of the organization, without a gap.'),
  at: z.string(),
  event: z
    .string()
    .describe('execute, sign_in, sign_out, token, or a change of what the service holds, such as connector.created.'),
  workspace_id: z.string().nullable(),
  connector_id: z.string().nullable(),
  connector_type: z.string().nullable(),
  client_id: z.string().nullable(),
  via: z
    .string()
    .describe('http, mcp, console, setup, cli for the operator’s commands, or service for what it did by itself.'),
  entity: z.string().nullable(),
  action: z.string().nullable(),
  effect: z.string().nullable(),
  params_digest: z.string().nullable().describe('The same for the same parameters; tells nothing else of them.'),
  intent: z.string().nullable(),
  outcome: z.string().describe('begun, success, or the code of an error.'),
  begun_as: z.number().int().nullable().describe('Of an outcome: the entry that said what was begun.'),
  duration_ms: z.number().int().nullable(),
  request_id: z.string().nullable(),
  address: z.string().nullable().describe('Where the request came from.'),
  subject: z
    .string()
    .nullable()
    .describe('What it is about besides the connector: the id of a plan, of a client or of an OAuth grant.'),
  previous: z.string(),
  digest: z.string().describe('HMAC-SHA-256 of this entry together with the one before; SHA-256 before `keyed_from`.'),
});

const AuditQuery = z.strictObject({
  connector_id: identifier(100).optional(),
  outcome: z.enum(['success', 'failure']).optional().describe('Only what worked, or only what did not.'),
  from: z.iso
    .datetime({ offset: true, abort: true, error: 'must be a moment such as 2026-05-04T12:00:00Z' })
    .refine((text) => momentOf(text) !== undefined, 'must be in the years 0000 to 9999')
    .optional()
    .describe('Only entries from this moment on.'),
  limit: z.coerce.number().int().min(1).max(1000).optional().describe('1 to 1000; 100 when left out.'),
  cursor: identifier(100).optional().describe('next of the page before.'),
});

const AuditResponse = z.object({ data: z.array(Entry), next: z.string().nullable() });

const entryJson = ({ organization_id: _, ...entry }: AuditEntry) => entry;

function parseCursor(cursor: string): number {
  const seq = Number(Buffer.from(cursor, 'base64url').toString());
  if (Number.isSafeInteger(seq) && seq > 0 && cursorOf(seq) === cursor) return seq;
  throw invalidError('The query', [fieldError('cursor', 'is not one that this list gave')]);
}

const cursorOf = (seq: number): string => Buffer.from(String(seq)).toString('base64url');

const list = route({
  method: 'GET',
  path: '/api/v1/audit',
  operationId: 'listAudit',
  summary: 'What was done, the newest first. A token of one workspace sees what was done in it.',
  access: 'organization',
  tokenScope: 'admin',
  query: AuditQuery,
  response: AuditResponse,
  errors: [404],
  async handle({
    query: { connector_id, outcome, from, limit = 100, cursor },
    scope,
    services: {
      state: { audit },
    },
  }) {
    const entries = await audit.list({
      organizationId: scope.organizationId,
      workspaceId: scope.workspaceId,
      connectorId: connector_id,
      outcome,
      from: from && momentOf(from),
      ...(cursor !== undefined && { before: parseCursor(cursor) }),
      limit: limit + 1,
    });
    const page = entries.slice(0, limit);
    return { data: page.map(entryJson), next: entries.length > limit ? cursorOf(page.at(-1)!.seq) : null };
  },
});

const Head = z.object({ seq: z.number().int(), digest: z.string() });

const verify = route({
  method: 'GET',
  path: '/api/v1/audit/verify',
  operationId: 'verifyAudit',
  summary: 'Whether the log is as it was written: each entry follows from the one before, and none is missing.',
  access: 'account',
  tokenScope: 'admin',
  response: z.object({
    entries: z.number().int().describe('So many were checked.'),
    first: z
      .number()
      .int()
      .nullable()
      .describe('The oldest that was checked; those before it were removed because of their age.'),
    keyed_from: z
      .number()
      .int()
      .nullable()
      .describe(
        'From this entry on, only the service can compute a digest. Older ones count up to the one that was the last at the upgrade.',
      ),
    head: Head.nullable().describe('The newest entry. Kept elsewhere, it shows later that nothing was cut off.'),
    broken: z.object({ seq: z.number().int(), reason: z.string() }).nullable(),
  }),
  async handle({
    scope,
    services: {
      state: { audit },
    },
  }) {
    const { organization_id: _, ...verdict } = await audit.verify(scope.organizationId);
    return verdict;
  },
});

/** The audit log. */
export const auditRoutes: readonly Route[] = [list, verify];
