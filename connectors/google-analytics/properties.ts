import { valuesIn } from '../../src/authoring.js';

/** Ids of Analytics properties, each once, out of a list or a text that has them. */
export const propertiesIn = (given: unknown): string[] => [
  ...new Set(valuesIn(given).map((id) => id.replace(/^properties\//, ''))),
];
