interface PagerProps {
  /** Cursors of the pages up to the one that is shown; the first page has none. */
  readonly cursors: readonly string[];
  readonly next: string | null;
  readonly choose: (cursors: readonly string[]) => void;
}

/** Buttons between the pages of a list that begins with the newest. */
export function Pager({ cursors, next, choose }: PagerProps) {
  return (
    <div class="buttons">
      <button type="button" disabled={cursors.length === 0} onClick={() => choose(cursors.slice(0, -1))}>
        Newer
      </button>
      <button type="button" disabled={next === null} onClick={() => next !== null && choose([...cursors, next])}>
        Older
      </button>
    </div>
  );
}
