import {
  type AuditEntryResponse,
  AuditQuery,
  AuditResponse,
  AuditVerdictResponse,
  type ResponseOf,
} from 'agent-connectors/wire';
import { momentOf } from '../../../common/moment.js';
import type { AuditEntry } from '../../../data/state/audit/types.js';
import { fieldError } from '../../../domain/http-error.js';
import { invalidError } from '../input.js';
import { type Route, route } from '../route.js';

const entryJson = ({ organization_id: _, ...entry }: AuditEntry): ResponseOf<typeof AuditEntryResponse> => entry;

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
    const since = from && momentOf(from);
    if (from !== undefined && since === undefined) {
      throw invalidError('The query', [fieldError('from', 'must be between the years 0000 and 9999')]);
    }
    const entries = await audit.list({
      organizationId: scope.organizationId,
      workspaceId: scope.workspaceId,
      connectorId: connector_id,
      outcome,
      from: since,
      ...(cursor !== undefined && { before: parseCursor(cursor) }),
      limit: limit + 1,
    });
    const page = entries.slice(0, limit);
    return { data: page.map(entryJson), next: entries.length > limit ? cursorOf(page.at(-1)!.seq) : null };
  },
});

const verify = route({
  method: 'GET',
  path: '/api/v1/audit/verify',
  operationId: 'verifyAudit',
  summary: 'Verify that no audit log entry was altered or removed.',
  access: 'account',
  tokenScope: 'admin',
  response: AuditVerdictResponse,
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
