/**
 * Number of cases per property: a tenth in `npm test`, unless `share` says otherwise; all of them in `npm run
 * test:full`, which sets `ALL_CASES`.
 */
export const caseCount = (full: number, share = 10): number => (process.env.ALL_CASES ? full : Math.ceil(full / share));

/** The seed of generated cases; `SEED=1` and others make other cases. */
export const seedOf = (seed: number): number => seed + 1000 * Number(process.env.SEED ?? 0);
