/** Counts distinct users over rolling windows of days. */
export class MovingWindow {
  private readonly lastSeen = new Map<number, number>();
  private readonly byLastDay = new Map<number, number>();

  record(user: number, day: number): void {
    const before = this.lastSeen.get(user);
    if (before === day) return;
    if (before !== undefined) this.byLastDay.set(before, this.byLastDay.get(before)! - 1);
    this.lastSeen.set(user, day);
    this.byLastDay.set(day, (this.byLastDay.get(day) ?? 0) + 1);
  }

  /** Users active in the last 1, 7 and 28 days. */
  at(day: number): [number, number, number] {
    let sum = 0;
    const found: number[] = [];
    for (let back = 0; back < 28; back += 1) {
      sum += this.byLastDay.get(day - back) ?? 0;
      if (back === 0 || back === 6 || back === 27) found.push(sum);
    }
    return found as [number, number, number];
  }
}
