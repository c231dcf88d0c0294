import { jsonLine } from '../common/json-line.js';
import type { Arguments } from './arguments.js';
import { resolveOrganizations, withState } from './clients.js';
import type { Terminal } from './terminal.js';

/** Puts the audit logs out as lines of JSON, one organization after the other, each from its oldest entry on. */
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
