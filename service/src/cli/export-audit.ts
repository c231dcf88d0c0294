import { jsonLine } from '../common/json-line.js';
import type { Arguments } from './arguments.js';
import { withState } from './clients.js';
import type { Terminal } from './terminal.js';

/** Puts the audit logs out as lines of JSON, one organization after the other, each from its oldest entry on. */
export const exportAudit = (args: Arguments, terminal: Terminal): Promise<void> =>
  withState(args, async ({ organizations, audit }) => {
    const all = await organizations.all();
    const chosen = args.organizations.length === 0 ? all : all.filter(({ id }) => args.organizations.includes(id));
    for (const { id: organizationId } of chosen) {
      for await (const entry of audit.entries({ organizationId, from: args.from, to: args.until })) {
        terminal.out(jsonLine(entry));
      }
    }
  });
