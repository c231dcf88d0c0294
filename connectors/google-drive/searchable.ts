import type { Search } from '../../src/authoring.js';

/** A file's content in the context store. */
export const files = {
  fields: {
    string: [
      'id',
      'updated_at',
      'file_name',
      'file_path',
      'mime_type',
      'content',
      'content_version',
      'content_state',
      'content_cause',
    ],
    array: ['readers'],
  },
  dateTimes: ['updated_at'],
  semantic: { content: { entity_fields: ['id', 'updated_at', 'file_name', 'file_path', 'mime_type'] } },
  extensions: ['readers', 'content_version', 'content_state', 'content_cause'],
  about: { title: ['file_name'], words: ['file_path', 'mime_type'] },
} as const satisfies Search;
