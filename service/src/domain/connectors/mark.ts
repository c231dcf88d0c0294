import type { Definition } from './definitions.js';

/** A vendor's mark: a monogram on a tile, since logos are trademarks. */
export interface Mark {
  /** Two letters of the title. */
  readonly letters: string;
  /** Color of the tile, as `#rrggbb`. */
  readonly color: string;
}

/** The mark of a connector type. */
export function markOf({ manifest: { title }, setup }: Pick<Definition, 'manifest' | 'setup'>): Mark {
  const [first = '', second] = title.split(' ');
  const letters = second ? first.charAt(0) + second.charAt(0) : first.slice(0, 2);
  return { letters, color: setup?.color ?? '#5b6270' };
}
