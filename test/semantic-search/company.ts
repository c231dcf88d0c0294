import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';

/** What the questions are asked of: the seed decides ids, the moment dates, and how many years Drive's folders tell apart. */
export const companyOptions = { seed: 1, scale: 1, now: Date.parse('2026-09-15T15:00:00Z') } as const;

/** A sandbox with the company that the questions are asked of. Its clock stands still, so that no allowance applies. */
export function companySandbox(now: number = companyOptions.now): Sandbox {
  const sandbox = createSandbox({ seed: companyOptions.seed, scale: companyOptions.scale, now: () => now });
  sandbox.vendors.linear.limits = { requestsPerHour: 1e9, complexityPerHour: 1e9 };
  sandbox.vendors.granola.limits = { requestsPerFiveSeconds: 1e9, requestsPerMinute: 1e9 };
  sandbox.vendors.gong.limits = { requestsPerSecond: 1e9, requestsPerDay: 1e9 };
  return sandbox;
}
