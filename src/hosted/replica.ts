/** Record counts of a sync run. */
export interface SyncCounts {
  /** Records read. */
  read: number;
  /** New records. */
  inserted: number;
  /** Changed records. */
  updated: number;
  /** Unchanged records. */
  unchanged: number;
  /** Records deleted at the vendor. */
  removed: number;
  /** Records that could not be parsed. */
  failed: number;
}

/** A sync run of a connector. */
export interface SyncJob {
  /** Id of the run. */
  id: string;
  /** The synced connector. */
  connector_id: string;
  /** Why the run was created. */
  requested: 'first' | 'interval' | 'request';
  /** Status of the run. */
  status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  /** Number of attempts. */
  attempts: number;
  /** When it was created; ISO 8601. */
  created_at: string;
  /** When it first started; null until then. */
  started_at: string | null;
  /** When it ended; null until then. */
  finished_at: string | null;
  /** When it will be retried after a failure; null otherwise. */
  next_try_at: string | null;
  /** From 0 to 1, if known. */
  progress: number;
  /** Counts across all entities. */
  counts: SyncCounts;
  /** Progress per entity. */
  entities: Array<
    SyncCounts & {
      /** Name of the entity. */
      entity: string;
      /** Its status. */
      status: 'waiting' | 'running' | 'done' | 'failed';
      /** From 0 to 1. */
      progress: number | null;
      /** The first records that could not be parsed. */
      failures: Array<{
        /** Id of the record. */
        id: string;
        /** Why it could not be parsed. */
        message: string;
      }>;
      /** Why it failed; null otherwise. */
      error: string | null;
    }
  >;
  /** Why the job failed; null otherwise. */
  error: string | null;
}

/** A workspace search. */
export interface WorkspaceSearch {
  /** The prompt, in natural language. */
  prompt: string;
  /** 1 to 100; 10 by default. */
  limit?: number | undefined;
  /** How passages are ranked; the best available by default. */
  mode?: 'lexical' | 'dense' | 'hybrid' | undefined;
  /** Characters of context around each hit, up to 2048. */
  context_size?: number | undefined;
  /** Only these connectors. */
  connector_ids?: readonly string[] | undefined;
  /** Only these connectors, by name. */
  connectors?: readonly string[] | undefined;
  /** Only these entities. */
  entities?: readonly string[] | undefined;
}

/** Hits across all connectors. */
export interface WorkspaceHits {
  /** Hits, best first. */
  data: Array<{
    /** Its source. */
    connector: {
      /** Id of the connector. */
      id: string;
      /** Name of the connector. */
      name: string;
      /** Type of the connector. */
      type: string;
    };
    /** Entity of the record. */
    entity_name: string;
    /** The matching field; `about` for a title or metadata. */
    field: string;
    /** Title of the record. This and the fields below are null if there is none. */
    title?: string | null;
    /** Its URL at the vendor. */
    url?: string | null;
    /** When the record was changed, when its event took place, or when it was created, in the vendor's format. */
    date?: string | null;
    /** Speaker, author or assignee. */
    person?: string | null;
    /** People named in the record, up to 20. */
    people?: string[];
    /** About 300 characters of the match, with words from the prompt wrapped in `**`. */
    snippet?: string;
    /** Number of omitted records with the same passage. */
    duplicates?: number;
    /** Some of the record's fields. */
    entity: Record<string, unknown>;
    /** The hit itself. */
    metadata: {
      /** Score, comparable only within one response. */
      score: number;
      /** The match with surrounding text. */
      context: string;
      [name: string]: unknown;
    };
  }>;
  /** About the search. */
  meta: {
    /** Always false: semantic search results are not paginated. */
    has_more: boolean;
    /** Always null. */
    cursor: string | null;
    /** Duration in milliseconds. */
    took_ms: number;
    /** How the passages were ranked. */
    rankers: string[];
    /** Outcome of reranking; undefined if the service has no reranker. */
    rerank?: {
      /** Whether it was applied. */
      applied: boolean;
      /** Why it was not applied. */
      message: string | null;
    };
    /** The oldest `synced_at` of the searched replicas; ISO 8601. */
    synced_at?: string | null;
    /** Connectors and entities with nothing to search yet, and why. */
    skipped: unknown[];
  };
}
