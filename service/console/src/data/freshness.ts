const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of an interval such as `30m`. */
function intervalMs(interval: string | null): number {
  const [, count = '0', unit = ''] = /^(\d+)([mhd])$/.exec(interval ?? '') ?? [];
  return Number(count) * (unitMs[unit] ?? 0);
}

/** An entity is up to date for two intervals after its last sync. */
export function freshnessOf(status: string, syncedAt: string | null, interval: string | null): string {
  if (status === 'failed' || syncedAt === null) return status;
  return Date.now() - Date.parse(syncedAt) <= 2 * intervalMs(interval) ? 'fresh' : 'stale';
}
