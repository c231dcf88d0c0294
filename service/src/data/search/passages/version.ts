/** Bump whenever the same segments are split differently. */
export const passagesVersion = 2;
