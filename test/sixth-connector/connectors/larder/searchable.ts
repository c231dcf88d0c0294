import type { Search } from '../../src/authoring.js';

/** What the context store contains of a jar. */
export const jars = {
  fields: { string: ['id', 'label', 'filled_at'], number: ['grams'], object: ['keeper'] },
  semantic: { label: { entity_fields: ['id', 'label'] } },
} as const satisfies Search;
