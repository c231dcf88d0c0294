import * as z from 'zod';
import { momentOf } from '../../../common/moment.js';
import type { AuditEntry } from '../../../data/state/audit/types.js';
import { fieldError } from '../../../domain/http-error.js';
import { identifier, invalidError } from '../../../domain/validate.js';
import { type Route, route } from '../route.js';

const Entry = z.object({
  seq: z.number().int().describe('Sequence number in the organization’s log, without gaps.'),
  at: z.string(),
  event: z
    .string()
    .describe(
      'execute, execute.replayed (a stored response was requested), sign_in, sign_out, token, or a configuration change, such as connector.created.',
    ),
  workspace_id: z.string().nullable(),
  connector_id: z.string().nullable(),
  connector_type: z.string().nullable(),
  client_id: z.string().nullable(),
  via: z.string().describe('http, mcp, console, setup, cli for operator commands, or service for background work.'),
  entity: z.string().nullable(),
  action: z.string().nullable(),
  effect: z.string().nullable(),
  params_digest: z
    .string()
    .nullable()
    .describe('A keyed digest of the parameters. Identical parameters have the same digest.'),
  intent: z.string().nullable(),
  outcome: z.string().describe('begun, success, or an error code.'),
  begun_as: z.number().int().nullable().describe('For an outcome, the seq of the entry that recorded the start.'),
  duration_ms: z.number().int().nullable(),
  request_id: z.string().nullable(),
  address: z.string().nullable().describe('Remote address of the request.'),
  subject: z
    .string()
    .nullable()
    .describe('The id of the affected plan, client or OAuth grant, if the subject is not a connector.'),
  previous: z.string(),
  digest: z.string().describe('HMAC-SHA-256 of this entry and the previous one.'),
});

const AuditQuery = z.strictObject({
  connector_id: identifier(100).optional(),
  outcome: z.enum(['success', 'failure']).optional().describe('Only successes or only failures.'),
  from: z.iso
    .datetime({ offset: true, abort: true, error: 'must be a date-time such as 2026-05-04T12:00:00Z' })
    .refine((text) => momentOf(text) !== undefined, 'must be between the years 0000 and 9999')
    .optional()
    .describe('Only entries at or after this time.'),
  limit: z.coerce.number().int().min(1).max(1000).optional().describe('1 to 1000 (default 100).'),
  cursor: identifier(100).optional().describe('The value of next from the previous page.'),
});

const AuditResponse = z.object({ data: z.array(Entry), next: z.string().nullable() });

const entryJson = ({ organization_id: _, ...entry }: AuditEntry) => entry;

function parseCursor(cursor: string): number {
  const seq = Number(Buffer.from(cursor, 'base64url').toString());
  if (Number.isSafeInteger(seq) && seq > 0 && cursorOf(seq) === cursor) return seq;
  throw invalidError('The query', [fieldError('cursor', 'is not valid for this list')]);
}

const cursorOf = (seq: number): string => Buffer.from(String(seq)).toString('base64url');

const list = route({
  method: 'GET',
  path: '/api/v1/audit',
  operationId: 'listAudit',
  summary: 'Audit log entries, newest first. A workspace token sees only its workspace.',
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
  summary: 'Verify that no audit log entry was altered or removed.',
  access: 'account',
  tokenScope: 'admin',
  response: z.object({
    entries: z.number().int().describe('Number of entries checked.'),
    first: z.number().int().nullable().describe('The oldest entry checked; older ones were removed by retention.'),
    head: Head.nullable().describe('The newest entry. Store it on another host to detect truncation later.'),
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

/** Routes for the audit log. */
export const auditRoutes: readonly Route[] = [list, verify];
