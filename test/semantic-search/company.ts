import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';

/**
 * The company that the questions are about: the seed determines ids; the time determines dates and the number of yearly
 * Drive folders.
 */
export const companyOptions = { seed: 1, scale: 1, now: Date.parse('2026-09-15T15:00:00Z') } as const;

/** A sandbox with the company that the questions are about. Its clock does not advance, so rate limits are disabled. */
export function companySandbox(now: number = companyOptions.now): Sandbox {
  const sandbox = createSandbox({ seed: companyOptions.seed, scale: companyOptions.scale, now: () => now });
  sandbox.vendors.linear.limits = { requestsPerHour: 1e9, complexityPerHour: 1e9 };
  sandbox.vendors.granola.limits = { requestsPerFiveSeconds: 1e9, requestsPerMinute: 1e9 };
  sandbox.vendors.gong.limits = { requestsPerSecond: 1e9, requestsPerDay: 1e9 };
  return sandbox;
}
