import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { folderStore } from '../../../service/src/data/objects/folder.js';
import type { ObjectStore } from '../../../service/src/data/objects/types.js';
import type { StoredEntity } from '../../../service/src/data/records/entity.js';
import { splitPassages } from '../../../service/src/data/records/passages/split-passages.js';
import type { TextsOf } from '../../../service/src/data/records/types.js';
import { newFolder } from './fixtures.js';

/** An entity with two long texts: a string and an array. */
export const documents: StoredEntity = {
  type: 'sample',
  entity: 'documents',
  fields: { id: 'string', title: 'string', content: 'string', transcript: 'array', createdAt: 'string' },
  dateTimes: ['createdAt'],
  key: ['id'],
  semantic: ['content', 'transcript'],
  about: { title: ['title'] },
};

export const documentsOf = (connectorId: string) => ({ connectorId, type: 'sample', entity: 'documents' });

interface Turn {
  readonly speaker: string;
  readonly text: string;
}

/** Splits a document's texts as replication does. */
export const textsOf: TextsOf = ({ title, content, transcript }) => {
  const field = (name: string, texts: readonly string[]) => ({
    field: name,
    ...splitPassages(texts.map((text) => ({ text }))),
  });
  return [
    ...(typeof content === 'string' ? [field('content', [content])] : []),
    ...(Array.isArray(transcript)
      ? [
          field(
            'transcript',
            (transcript as Turn[]).map(({ text }) => text),
          ),
        ]
      : []),
    ...(typeof title === 'string' ? [field('$about', [title])] : []),
  ];
};

const filler = (words: number, seed: number): string =>
  Array.from({ length: words }, (_, index) => `word${(index * 7 + seed * 13) % 97}`).join(' ');

/** A document with texts longer than `maxInline`; both contain `marker`. */
export const longDocument = (id: string, marker: string) => ({
  id,
  title: `Report ${id}`,
  content: `${filler(40, 1)} 𝒳 ${marker} Quarterly\u0000Revenue ${filler(300, id.length)} the end of ${id}`,
  transcript: Array.from({ length: 30 }, (_, turn) => ({
    speaker: turn % 2 === 0 ? 'ann' : `${marker}-bob`,
    text: `${filler(20, turn)} said ${marker}`,
  })),
  createdAt: '2026-01-02T03:04:05Z',
});

export const shortDocument = (id: string) => ({
  id,
  title: `Note ${id}`,
  content: 'quarterly revenue in short',
  transcript: [{ speaker: 'ann', text: 'short' }],
  createdAt: null,
});

/** Length limit above which tests store texts as objects. */
export const maxInline = 500;

/** A folder for objects, and the keys in it. */
export function newObjects() {
  const folder = newFolder();
  return {
    folder,
    objects: folderStore(folder),
    keys: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => `${parentPath.slice(folder.length + 1)}/${name}`)
        .sort(),
  };
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** An in-memory object store, for many objects. */
export function inMemory(): ObjectStore {
  const objects = new Map<string, Uint8Array>();
  const info = (key: string) => ({ size: objects.get(key)!.length, modifiedAt: Date.now() });
  return {
    info: async (key) => (objects.has(key) ? info(key) : undefined),
    get: async (key) => objects.get(key),
    put: async (key, bytes) => void objects.set(key, bytes),
    remove: async (key) => void objects.delete(key),
    async *list(prefix) {
      for (const key of objects.keys()) if (key.startsWith(prefix)) yield { key, ...info(key) };
    },
  };
}
