import { number } from '../locale.js';

/** A count with its noun. */
export const plural = (count: number, one: string, several = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : several}`;
