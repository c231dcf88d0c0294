/** Seconds that a secret which was replaced stays good at most. */
export const maxOverlapSeconds = 604_800;
/** Seconds that it stays good unless said. */
export const defaultOverlapSeconds = 86_400;
