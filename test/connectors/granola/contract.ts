import type { EntityContract } from '../contract.js';

const hit = { hit: 'id updated_at title' };

/** The names promised by the connector's reference, repeated here independently of the manifest. */
export const contract: Record<string, EntityContract> = {
  notes: {
    record:
      'id object title owner created_at updated_at calendar_event attendees folder_membership summary_text summary_markdown transcript',
    meta: 'cursor has_more',
    actions: {
      list: 'page_size? cursor? created_before? created_after?',
      get: 'note_id include?',
    },
    extensions: { list: 'updated_after? folder_id?', get: 'contains? speaker? from? to?' },
    searchable: {
      string: 'id object title created_at updated_at summary_text summary_markdown',
      object: 'owner calendar_event',
      array: 'attendees folder_membership transcript',
    },
    semantic: { summary_markdown: hit, transcript: hit },
  },
};
