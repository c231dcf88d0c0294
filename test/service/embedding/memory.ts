import type { PassageVector } from '../../../service/src/data/records/passages/types.js';
import type { Store } from '../../../service/src/data/records/types.js';

/** In-memory passages and vectors for embedding tests. */
export function passageStore(...texts: readonly string[]) {
  const passages = new Map(texts.map((text, index) => [index + 1, text]));
  const vectors = new Map<string, Map<number, Float32Array>>();
  const writes: { readonly embedder: string; readonly passages: readonly number[] }[] = [];
  const keptEmbedders: (readonly string[])[] = [];
  let broken: Error | undefined;
  const of = (embedder: string) => {
    const found = vectors.get(embedder) ?? new Map<number, Float32Array>();
    vectors.set(embedder, found);
    return found;
  };
  const check = () => {
    if (broken) throw broken;
  };

  const store: Pick<Store, 'unembedded' | 'embed' | 'keepEmbedders'> = {
    async unembedded(embedder, limit) {
      check();
      const missing = [...passages].filter(([passage]) => !of(embedder).has(passage));
      return missing.slice(0, limit).map(([passage, text]) => ({ passage, text }));
    },
    async embed(embedder: string, newVectors: readonly PassageVector[]) {
      check();
      writes.push({ embedder, passages: newVectors.map(({ passage }) => passage) });
      for (const { passage, vector } of newVectors) if (passages.has(passage)) of(embedder).set(passage, vector);
    },
    async keepEmbedders(embedders) {
      check();
      keptEmbedders.push(embedders);
      for (const embedder of vectors.keys()) if (!embedders.includes(embedder)) vectors.delete(embedder);
    },
  };
  return {
    store,
    writes: writes as readonly (typeof writes)[number][],
    keptEmbedders: keptEmbedders as readonly (readonly string[])[],
    add(...more: readonly string[]) {
      for (const text of more) passages.set(passages.size + 1, text);
    },
    /** Passages that an embedder has processed, in order. */
    embedded: (embedder: string) => [...(vectors.get(embedder)?.keys() ?? [])].sort((a, b) => a - b),
    break(error: Error | undefined) {
      broken = error;
    },
  };
}
