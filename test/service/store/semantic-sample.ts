import type { StoredEntity, StoredRecord } from '../../../service/src/data/records/entity.js';
import { textsOf as splitTexts } from '../../../service/src/data/records/passages/split-passages.js';
import type { FieldText, PassageHit, PassageSpan } from '../../../service/src/data/records/passages/types.js';
import type { Store } from '../../../service/src/data/records/types.js';
import { WordEmbedder } from './embedder.js';

/** An entity with two semantic fields: one is a column, the other is inside an array. */
export const notes: StoredEntity = {
  type: 'sample',
  entity: 'notes',
  fields: { id: 'string', title: 'string', body: 'string', ownerId: 'string', priority: 'number', turns: 'array' },
  dateTimes: [],
  key: ['id'],
  semantic: ['body', 'turns'],
};

/** Another entity of the same connector. */
export const remarks: StoredEntity = {
  type: 'sample',
  entity: 'remarks',
  fields: { id: 'string', body: 'string' },
  dateTimes: [],
  key: ['id'],
  semantic: ['body'],
};

/** An entity whose records are also searched by their titles. */
const tickets: StoredEntity = {
  type: 'sample',
  entity: 'tickets',
  fields: { id: 'string', title: 'string', body: 'string', people: 'array' },
  dateTimes: [],
  key: ['id'],
  semantic: ['body'],
  about: { title: ['title'], words: ['people.name'] },
};

/** The tickets' texts, split the way replication splits them. */
export const ticketTexts = splitTexts({}, ['body'], tickets.about);

/** Options with which these tests open stores, besides the location. */
export const semanticOptions = () => ({ entities: [notes, remarks, tickets], embedders: [new WordEmbedder()] });

/** The collection that most of these tests use. */
export const notesCollection = { connectorId: 'con_1', type: 'sample', entity: 'notes' };

const lengthOf = (text: string): number => [...text].length;

/** One passage for each part between separators. */
function cutAt(text: string, separator: string, attribution: (index: number) => PassageSpan['attribution']) {
  let at = 0;
  return text.split(separator).flatMap((piece, index): PassageSpan[] => {
    const start = at;
    at += lengthOf(piece) + lengthOf(separator);
    return piece === '' ? [] : [{ start, end: start + lengthOf(piece), attribution: attribution(index) }];
  });
}

/** A note's texts: its body by paragraphs, and the conversation by turns. */
export function textsOf({ body, turns }: StoredRecord): FieldText[] {
  const texts: FieldText[] = [];
  if (typeof body === 'string') texts.push({ field: 'body', text: body, passages: cutAt(body, '\n\n', () => ({})) });
  if (Array.isArray(turns)) {
    const text = turns.map(({ text }) => text).join('\n');
    texts.push({
      field: 'turns',
      text,
      passages: cutAt(text, '\n', (index) => ({ speakerId: turns[index].speakerId ?? null })),
    });
  }
  return texts;
}

/** Notes on various subjects. */
export const sampleNotes: readonly StoredRecord[] = [
  {
    id: 'garage',
    title: 'Garage',
    body: 'The car would not start this morning.\n\nA mechanic replaced the battery of the car and the lamps.',
    ownerId: 'ann',
    priority: 1,
  },
  {
    id: 'office',
    title: 'Office',
    body: 'The printers in the office are running out of paper.\n\nPaying the invoice for paper was forgotten.',
    ownerId: 'bob',
    priority: 2,
  },
  {
    id: 'night',
    title: 'Night',
    body: 'An outage of the database at night.\n\nThe deployment had removed an index; the database was restored.',
    ownerId: 'ann',
    priority: 3,
    turns: [
      { speakerId: 's1', text: 'Who restored the database?' },
      { speakerId: 's2', text: 'I did, from the backup of Tuesday.' },
      { speakerId: null, text: 'Music played.' },
    ],
  },
  { id: 'empty', title: 'Empty', body: null, ownerId: 'bob', priority: 4 },
];

/** Runs a semantic search. */
export async function searchSemantically(
  store: Store,
  semantic: object,
  more: object = {},
  of = notesCollection,
): Promise<readonly PassageHit[]> {
  const { hits } = await store.semanticSearch({ ...of, params: { semantic: { field: 'body', ...semantic }, ...more } });
  return hits;
}

/** Ids of the records that a semantic search finds, best first. */
export const semanticSearchIds = async (...args: Parameters<typeof searchSemantically>): Promise<unknown[]> =>
  (await searchSemantically(...args)).map(({ record }) => record.id);

/** Embeds all pending passages and returns how many there were. */
export async function embedAll(store: Store, embedder = new WordEmbedder()): Promise<number> {
  let count = 0;
  for (;;) {
    const passages = await store.unembedded(embedder.id, 500);
    if (passages.length === 0) return count;
    const vectors = await embedder.embed(passages.map(({ text }) => text));
    await store.embed(
      embedder.id,
      passages.map(({ passage }, index) => ({ passage, vector: vectors[index]! })),
    );
    count += passages.length;
  }
}
