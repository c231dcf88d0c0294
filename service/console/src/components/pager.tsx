import { texts } from '../texts/index.js';

interface PagerProps {
  /** Cursors of the pages up to the current one; the first page has none. */
  readonly cursors: readonly string[];
  readonly next: string | null;
  readonly choose: (cursors: readonly string[]) => void;
  /** Labels of the buttons. */
  readonly labels?: readonly [back: string, on: string];
}

/** Paging buttons for a list; the default labels assume newest-first order. */
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
