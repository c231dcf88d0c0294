import { onTestFinished, vi } from 'vitest';

/** Has every wait before a repeat be the shortest, since it is random, and how long it is has tests of its own. */
export function minimizeBackoff(): void {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => random.mockRestore());
}
