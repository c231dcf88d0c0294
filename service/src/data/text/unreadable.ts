import type { TextCause } from 'agent-connectors/replication';

/** Thrown for a file whose text cannot be read. Other errors of readers mean that the file is damaged. */
export class UnreadableError extends Error {
  /** Why it cannot be read. */
  readonly reason: TextCause;

  constructor(reason: TextCause, message: string) {
    super(message);
    this.reason = reason;
  }
}
