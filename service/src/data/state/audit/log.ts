import { createHmac } from 'node:crypto';
import type { KeyRing } from '../../vault/keys.js';
import { canonicalJson, hashInSteps } from '../canonical-json.js';
import type { Commits } from '../commits.js';
import { acrossOrganizations, type Database, withinOrganization } from '../database.js';
import { type Chain, headOf } from './chain.js';
import type { AuditFile } from './file.js';
import { pruneLog } from './prune.js';
import type { AuditFilter, AuditLog, AuditVerdict } from './types.js';
import { entriesOf, verifyChain } from './verify.js';

/** What the log needs. */
export interface AuditDependencies {
  readonly chain: Chain;
  readonly commits: Commits;
  /** A file that receives every entry from this process as a JSON line. */
  readonly file?: AuditFile | undefined;
  readonly keys: KeyRing;
  readonly report: (error: unknown) => void;
}

/** Entries read at a time. */
const pageSize = 500;
/** Maximum clock difference between two processes, in milliseconds. */
const maxClockSkewMs = 60 * 60 * 1000;

/** The log in the database. */
export function openAudit(database: Database, { chain, commits, file, keys, report }: AuditDependencies): AuditLog {
  const { flush } = commits;
  const verifying = new Map<string, Promise<AuditVerdict>>();
  const hmac = () => createHmac('sha256', keys.newest.derive('audit'));

  return {
    async record(entry, more) {
      const { entries } = await commits.commit({ ...more, organizationId: entry.organization_id, entry });
      return entries.at(-1)!;
    },
    recordSoon: (entry) => commits.commitSoon({ organizationId: entry.organization_id, entry }),
    flush: () => flush(),
    async list(filter) {
      const { organizationId, from } = filter;
      await flush(organizationId);
      return withinOrganization(organizationId, async () => {
        const after = from === undefined ? 0 : await lastSeqBefore(database, organizationId, from);
        return entriesIn(database, filter, after).orderBy('seq', 'desc').limit(filter.limit).execute();
      });
    },
    async verify(organizationId, head) {
      await flush(organizationId);
      const verifyAgainst = (known: typeof head) =>
        withinOrganization(organizationId, () => verifyChain(database, chain, organizationId, { head: known }));
      if (head) return verifyAgainst(head);
      // Concurrent callers share one verification, which reads the whole log.
      let running = verifying.get(organizationId);
      if (!running) {
        running = verifyAgainst(undefined).finally(() => verifying.delete(organizationId));
        verifying.set(organizationId, running);
      }
      return running;
    },
    digestOf: (params) => hmac().update(canonicalJson(params)).digest('base64url'),
    digestOfInput: (params) => hashInSteps(hmac(), params),
    async *entries({ organizationId, from, to }) {
      await flush(organizationId);
      const within = <T>(work: () => T) => withinOrganization(organizationId, work);
      let after = from === undefined ? 0 : await within(() => lastSeqBefore(database, organizationId, from));
      for (;;) {
        const page = entriesIn(database, { organizationId, from, to }, after).orderBy('seq').limit(pageSize);
        const entries = await within(() => page.execute());
        yield* entries;
        if (entries.length < pageSize) return;
        after = entries.at(-1)!.seq;
      }
    },
    async prune(before) {
      await flush();
      let removed = 0;
      const organizations = database.query.selectFrom('organizations').select('id');
      for (const { id } of await acrossOrganizations(() => organizations.execute())) {
        removed += await withinOrganization(id, async () => {
          const newest = await headOf(database, id);
          // The newest entry is kept, because the next one links to it.
          const upTo = Math.min(await lastSeqBefore(database, id, before), (newest?.seq ?? 1) - 1);
          return pruneLog(database, chain, id, upTo);
        }).catch((error) => {
          report(error);
          return 0;
        });
      }
      return removed;
    },
    reopen: async () => file?.reopen(),
    async close() {
      await flush();
      await file?.close();
    },
  };
}

function entriesIn(
  database: Database,
  { organizationId, workspaceId, connectorId, outcome, from, to, before }: Omit<AuditFilter, 'limit'>,
  after: number,
) {
  let entries = entriesOf(database, organizationId).where('seq', '>', after);
  if (workspaceId !== undefined) entries = entries.where('workspace_id', '=', workspaceId);
  if (connectorId !== undefined) entries = entries.where('connector_id', '=', connectorId);
  if (outcome === 'success') entries = entries.where('outcome', '=', outcome);
  if (outcome === 'failure') entries = entries.where('outcome', 'not in', ['success', 'begun']);
  if (from !== undefined) entries = entries.where('at', '>=', from);
  if (to !== undefined) entries = entries.where('at', '<', to);
  if (before !== undefined) entries = entries.where('seq', '<', before);
  return entries;
}

/** The last entry guaranteed to be older than the given time, so earlier ones need not be read. */
async function lastSeqBefore({ query }: Database, organizationId: string, from: string): Promise<number> {
  const older = await query
    .selectFrom('audit')
    .select('seq')
    .where('organization_id', '=', organizationId)
    .where('at', '<', new Date(Date.parse(from) - maxClockSkewMs).toISOString())
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return older?.seq ?? 0;
}
