import { valuesIn } from '../../src/authoring.js';

/** Distinct property ids from a list or a string. */
export const propertiesIn = (given: unknown): string[] => [
  ...new Set(valuesIn(given).map((id) => id.replace(/^properties\//, ''))),
];
