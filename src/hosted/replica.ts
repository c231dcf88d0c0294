/** How many records a run read, and what became of them. */
export interface SyncCounts {
  /** Records that were read. */
  read: number;
  /** Records that were new. */
  inserted: number;
  /** Records that had changed. */
  updated: number;
  /** Records that were as before. */
  unchanged: number;
  /** Records that the vendor no longer has. */
  removed: number;
  /** Records that could not be read. */
  failed: number;
}

/** One run that copies a connector's records. */
export interface SyncJob {
  /** Id of the job. */
  id: string;
  /** Connector whose records are read. */
  connector_id: string;
  /** Why there is a job. */
  requested: 'first' | 'interval' | 'request';
  /** How far the job is. */
  status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  /** How often it was taken up. */
  attempts: number;
  /** When it was made; ISO 8601. */
  created_at: string;
  /** When it was first taken up; null before. */
  started_at: string | null;
  /** When it ended; null before. */
  finished_at: string | null;
  /** When it is tried again after a failure; null otherwise. */
  next_try_at: string | null;
  /** From 0 to 1, as far as it can be told. */
  progress: number;
  /** Records, all entities together. */
  counts: SyncCounts;
  /** How far each entity is. */
  entities: Array<
    SyncCounts & {
      /** Name of the entity. */
      entity: string;
      /** How far it is. */
      status: 'waiting' | 'running' | 'done' | 'failed';
      /** From 0 to 1. */
      progress: number | null;
      /** The first records that could not be read. */
      failures: Array<{
        /** Id of the record. */
        id: string;
        /** Why it could not be read. */
        message: string;
      }>;
      /** Why it failed; null otherwise. */
      error: string | null;
    }
  >;
  /** Why the job failed; null otherwise. */
  error: string | null;
}

/** What to look for in a workspace. */
export interface WorkspaceSearch {
  /** What to search for, in plain words. */
  prompt: string;
  /** 1 to 100; 10 when left out. */
  limit?: number | undefined;
  /** How passages are ranked; the best that the service can when left out. */
  mode?: 'lexical' | 'dense' | 'hybrid' | undefined;
  /** Characters of text around each hit, at most 2048. */
  context_size?: number | undefined;
  /** Only these connectors. */
  connector_ids?: readonly string[] | undefined;
  /** The same by their names. */
  connectors?: readonly string[] | undefined;
  /** Only these entities. */
  entities?: readonly string[] | undefined;
}

/** What was found, over all connectors. */
export interface WorkspaceHits {
  /** Hits, the best first. */
  data: Array<{
    /** Where it was found. */
    connector: {
      /** Id of the connector. */
      id: string;
      /** Name of the connector. */
      name: string;
      /** Type of the connector. */
      type: string;
    };
    /** Entity that the record belongs to. */
    entity_name: string;
    /** Field that was found; `about` where the title or metadata of the record were. */
    field: string;
    /** What the record is called; null where it has no title, and so below. */
    title?: string | null;
    /** Its address at the vendor. */
    url?: string | null;
    /** When it was changed, took place or was made, as the vendor writes it. */
    date?: string | null;
    /** Who speaks, wrote it, or is responsible. */
    person?: string | null;
    /** Everyone whom the record names, at most 20. */
    people?: string[];
    /** About 300 characters of what was found, with the words of the prompt between `**`. */
    snippet?: string;
    /** How many other records with the same passage were left out. */
    duplicates?: number;
    /** The record, with a few of its fields. */
    entity: Record<string, unknown>;
    /** The hit itself. */
    metadata: {
      /** Rank among all; compares within one answer alone. */
      score: number;
      /** Text around what was found. */
      context: string;
      [name: string]: unknown;
    };
  }>;
  /** About the search. */
  meta: {
    /** Always false: a search by meaning has no pages. */
    has_more: boolean;
    /** Always null. */
    cursor: string | null;
    /** Milliseconds that it took. */
    took_ms: number;
    /** How passages were ranked. */
    rankers: string[];
    /** Whether a reranker ordered the hits, and why not; absent where the service has none. */
    rerank?: {
      /** Whether it ordered them. */
      applied: boolean;
      /** Why it did not. */
      message: string | null;
    };
    /** When the replica was last complete that is behind most, of those searched; ISO 8601. */
    synced_at?: string | null;
    /** Connectors and entities that have nothing to search yet, with the reason. */
    skipped: unknown[];
  };
}
