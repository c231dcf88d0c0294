/** Conditions in a filter. */
export const maxConditions = 1000;
/** Levels of `not`, `and` and `or` in a filter. */
export const maxDepth = 50;
/** Length of a filter's names and texts together. */
export const maxFilterCharacters = 1_000_000;
/** Length of a pattern, words or part of a text to search for. */
export const maxTextCharacters = 10_000;
/** Levels of objects and arrays in an array element to search for, which are compared recursively. */
export const maxElementDepth = 20;
/** Length of a dotted path. */
export const maxPathCharacters = 500;
/** Sort keys of a search for records. */
export const maxSortKeys = 16;
/** Fields to group by. */
export const maxGroupFields = 4;
/** Aggregates per group. */
export const maxAggregates = 16;
/** Records or groups per page. */
export const maxLimit = 10_000;
/** Records per page if a search sets no limit. */
export const defaultLimit = 1000;
/** Hits of a semantic search. */
export const maxHits = 100;
/** Hits of a semantic search that sets no limit. */
export const defaultHits = 10;
/** Characters of text around a hit, also if a search sets no size. */
export const maxContextSize = 2048;
/** Length of a prompt; longer ones would take too long to embed. */
export const maxPromptCharacters = 10_000;
