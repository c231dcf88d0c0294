/**
 * Number of cases per property: a tenth in `npm test`, unless `share` says otherwise; all of them in `npm run
 * test:full`, which sets `ALL_CASES`.
 */
export const caseCount = (full: number, share = 10): number => (process.env.ALL_CASES ? full : Math.ceil(full / share));
