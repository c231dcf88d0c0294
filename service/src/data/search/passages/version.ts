/** Changes whenever the same segments are cut into other passages than before. */
export const passagesVersion = 2;
