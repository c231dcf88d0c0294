import type { AuditVerdict } from '../data/state/audit/types.js';
import type { Arguments } from './arguments.js';
import { withState } from './clients.js';
import type { Terminal } from './terminal.js';

/**
 * Verifies the audit logs of all organizations against previously printed heads. The exit code is 1 if any log is
 * broken.
 */
export async function verifyAudit(args: Arguments, terminal: Terminal): Promise<number> {
  const heads = new Map(args.rest.map(parseHead));
  let broken = 0;
  await withState(args, async (state) => {
    const organizations = new Set([...(await state.organizations.all()).map(({ id }) => id), ...heads.keys()]);
    for (const id of organizations) {
      const verdict = await state.audit.verify(id, heads.get(id));
      if (verdict.broken) broken += 1;
      terminal.out(args.json ? `${JSON.stringify(verdict)}\n` : `${formatVerdict(verdict)}\n`);
    }
  });
  return broken > 0 ? 1 : 0;
}

const formatVerdict = ({ organization_id: id, entries, first, head, broken }: AuditVerdict): string => {
  if (broken) return `${id}: entry ${broken.seq} ${broken.reason}`;
  return head
    ? `${id}:${head.seq}:${head.digest} (verified ${entries} entries starting at ${first})`
    : `${id}: no entries`;
};

function parseHead(text: string): [string, { seq: number; digest: string }] {
  const [, id, seq, digest] = /^([\w-]+):(\d+):([\da-f]{64})$/.exec(text) ?? [];
  if (id === undefined || digest === undefined) {
    throw new Error(
      `'${text.slice(0, 100)}' is not a valid head. Pass a head printed by verify-audit, up to the first space.`,
    );
  }
  return [id, { seq: Number(seq), digest }];
}
