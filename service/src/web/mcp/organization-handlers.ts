import type { McpHandler } from 'agent-connectors/mcp';

/**
 * MCP handlers per organization: one for callers with write access and one for others. Each has its own callers and
 * sessions, so organizations cannot evict each other's.
 */
export interface OrganizationHandlers {
  of(organizationId: string, mayWrite: boolean): McpHandler;
  close(): Promise<void>;
}

interface Entry {
  readonly handler: McpHandler;
  usedAt: number;
}

/** Sessions end after 30 idle minutes, so none are left by this time. */
const idleMs = 60 * 60_000;

/** Opens a handler on an organization's first request and closes it when idle. */
export function organizationHandlers(open: (mayWrite: boolean) => McpHandler, now: () => number): OrganizationHandlers {
  const entries = new Map<string, Entry>();
  const closeIdle = () => {
    for (const [id, { handler, usedAt }] of entries) {
      // The map is ordered by last use.
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
