import { jsonLine } from '../common/json-line.js';
import type { Arguments } from './arguments.js';
import { resolveOrganizations, withState } from './clients.js';
import type { Terminal } from './terminal.js';

/** Exports the audit logs as JSON lines, one organization after another, oldest entry first. */
export const exportAudit = (args: Arguments, terminal: Terminal): Promise<void> =>
  withState(args, async (state) => {
    const chosen =
      args.organizations.length > 0
        ? await resolveOrganizations(args, state)
        : (await state.organizations.all()).map(({ id }) => id);
    for (const organizationId of new Set(chosen)) {
      for await (const entry of state.audit.entries({ organizationId, from: args.from, to: args.until })) {
        terminal.out(jsonLine(entry));
      }
    }
  });
