import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pages, root, textOf } from './pages.js';

const glossary = textOf('docs/architecture.md').split('## Glossary')[1]!;
const terms = [...glossary.matchAll(/^\| (.+?) \| (.+) \|$/gm)]
  .slice(1)
  .map(([, term, meaning]) => ({ term, meaning }));

/** Synonyms of a term; the glossary's word is used instead. */
const synonyms: Readonly<Record<string, RegExp>> = {
  connector: /\b(?:plug-?in|adaptor)s?\b/gi,
  vendor: /\bupstream (?:API|provider)s?\b/gi,
  sync: /\b(?:crawl(?:s|ed|ing)?|synchroni[sz]\w+)\b/gi,
  sandbox: /\bmock (?:server|API|vendor)s?\b/gi,
  approval: /\bsign-off\b/gi,
  'idempotency key': /\b(?:dedupe?|deduplication) keys?\b/gi,
  embedder: /\bembedding provider\b/gi,
  reranker: /\bre-ranker\b/gi,
};

/** String literals that look like sentences. */
const texts = ['src', 'connectors', 'service/src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({
      file: `${folder}/${name}`,
      text: (readFileSync(join(root, folder, name), 'utf8').match(/(['"`])[A-Z][^'"`\n]* [^'"`\n]*\1/g) ?? []).join(
        '\n',
      ),
    })),
);

describe('the glossary', () => {
  test('defines each term once, in one line', () => {
    const names = terms.map(({ term }) => term);
    expect(names.length).toBeGreaterThan(25);
    expect(new Set(names).size).toBe(names.length);
    for (const { meaning } of terms) expect(meaning!.length).toBeLessThan(110);
  });

  test.each(Object.entries(synonyms))('%s has no synonym in docs and messages', (term, synonym) => {
    expect(terms.map((known) => known.term)).toContain(term);
    const all = [...pages.map((page) => ({ file: page, text: textOf(page) })), ...texts];
    const found = all.flatMap(({ file, text }) => (text.match(synonym) ?? []).map((word) => `${file}: ${word}`));
    expect(found).toEqual([]);
  });
});
