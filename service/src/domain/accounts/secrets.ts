/** Maximum overlap for a replaced secret, in seconds. */
export const maxOverlapSeconds = 604_800;
/** Default overlap, in seconds. */
export const defaultOverlapSeconds = 86_400;
