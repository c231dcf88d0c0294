import type { Search } from '../../src/authoring.js';

/** What the context store contains for a jar. */
export const jars = {
  fields: { string: ['id', 'label', 'filled_at'], number: ['grams'], object: ['keeper'] },
  semantic: { label: { entity_fields: ['id', 'label'] } },
} as const satisfies Search;
