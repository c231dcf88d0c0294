import type { McpHandler } from 'agent-connectors/mcp';

/** The MCP handlers of organizations, one for callers that may write and one for those that may not, each with callers and sessions of its own, which no other organization displaces. */
export interface OrganizationHandlers {
  of(organizationId: string, mayWrite: boolean): McpHandler;
  /** Ends all sessions. */
  close(): Promise<void>;
}

interface Entry {
  readonly handler: McpHandler;
  usedAt: number;
}

/** Sessions end when they are not used for half an hour: an organization that is silent for longer has none. */
const idleMs = 60 * 60_000;

/** Opens a handler when an organization asks for the first time, and closes it when it asks no more. */
export function organizationHandlers(open: (mayWrite: boolean) => McpHandler, now: () => number): OrganizationHandlers {
  const entries = new Map<string, Entry>();
  const closeIdle = () => {
    for (const [id, { handler, usedAt }] of entries) {
      // The map's order is the order of use.
      if (now() - usedAt < idleMs) return;
      entries.delete(id);
      void handler.close();
    }
  };
  return {
    of(organizationId, mayWrite) {
      const key = `${organizationId} ${mayWrite}`;
      const entry = entries.get(key) ?? { handler: open(mayWrite), usedAt: 0 };
      entry.usedAt = now();
      entries.delete(key);
      entries.set(key, entry);
      closeIdle();
      return entry.handler;
    },
    async close() {
      const open = [...entries.values()];
      entries.clear();
      await Promise.all(open.map(({ handler }) => handler.close()));
    },
  };
}
