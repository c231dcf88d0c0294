/** Turns texts into vectors, so that texts of like meaning lie near to each other. */
export interface Embedder {
  /** Names the model and all that its vectors depend on; vectors of different ids are never compared. */
  readonly id: string;
  /** One vector for each text, all of one length; `kind` matters to models that tell questions from passages. */
  embed(texts: readonly string[], kind: 'query' | 'passage', signal?: AbortSignal): Promise<Float32Array[]>;
}
