import type { ServerContext } from '@modelcontextprotocol/server';

const initialDelayMs = 500;
const intervalMs = 2_000;

/** Runs work and sends progress notifications to a client that asked for them. */
export async function withProgress<T>({ mcpReq }: ServerContext, what: string, work: () => Promise<T>): Promise<T> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return work();
  const started = performance.now();
  let progress = 0;
  let timer: ReturnType<typeof setTimeout>;
  const sendProgress = () => {
    progress++;
    const message = `${what}: ${Math.ceil((performance.now() - started) / 1000)} s`;
    mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } }).catch(() => {});
    timer = setTimeout(sendProgress, intervalMs);
  };
  timer = setTimeout(sendProgress, initialDelayMs);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}
