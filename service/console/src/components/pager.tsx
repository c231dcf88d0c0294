import { texts } from '../texts/index.js';

interface PagerProps {
  /** Cursors of the pages up to the one that is shown; the first page has none. */
  readonly cursors: readonly string[];
  readonly next: string | null;
  readonly choose: (cursors: readonly string[]) => void;
  /** What the buttons say. */
  readonly labels?: readonly [back: string, on: string];
}

/** Buttons between the pages of a list, which begins with the newest unless they say otherwise. */
export function Pager({ cursors, next, choose, labels = texts.pager }: PagerProps) {
  return (
    <div class="buttons">
      <button type="button" disabled={cursors.length === 0} onClick={() => choose(cursors.slice(0, -1))}>
        {labels[0]}
      </button>
      <button type="button" disabled={next === null} onClick={() => next !== null && choose([...cursors, next])}>
        {labels[1]}
      </button>
    </div>
  );
}
