/** Converts texts to vectors so that texts with similar meanings are close together. */
export interface Embedder {
  /** Identifies the model and everything its vectors depend on; vectors with different ids are never compared. */
  readonly id: string;
  /**
   * One vector per text, all of the same length; `kind` matters to models that treat queries and passages differently.
   */
  embed(texts: readonly string[], kind: 'query' | 'passage', signal?: AbortSignal): Promise<Float32Array[]>;
}
