import { valuesIn } from '../../src/authoring.js';

/** Distinct property ids from a list or text. */
export const propertiesIn = (given: unknown): string[] => [
  ...new Set(valuesIn(given).map((id) => id.replace(/^properties\//, ''))),
];
