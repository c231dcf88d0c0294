import type { Result } from '../action/result.js';
import type { Once, Sent } from '../call/execute-options.js';
import type { Operation, Transport } from '../call/transport.js';
import { ConnectorError } from '../errors/connector-error.js';

interface KeyedWrite {
  readonly params: string;
  /** What may have been sent to the vendor by an attempt whose outcome is unknown. */
  sent?: Sent;
  /** The result, or the attempt in progress. */
  result?: Promise<Result> | undefined;
}

/** The oldest keys are forgotten. */
const maxKeys = 1_000;

/** Writes with an idempotency key, remembered in memory: the vendors have no such keys. */
export class KeyedWrites {
  readonly #writes = new Map<string, KeyedWrite>();

  /** Runs a write, or returns the result of an earlier one with its key. */
  async run(operation: Operation, transport: Transport): Promise<Result> {
    const { entity, action, options } = operation;
    const id = `${entity}.${action} ${options.idempotencyKey}`;
    const params = JSON.stringify(operation.params);
    const write: KeyedWrite = this.#writes.get(id) ?? { params };
    if (write.params !== params) {
      throw new ConnectorError('conflict', 'idempotencyKey was already used with different parameters.', {
        hint: 'Use a new key for a new write.',
      });
    }
    if (write.result) return structuredClone(await write.result);
    const once: Once = {
      sent: write.sent,
      sending: (sent) => {
        write.sent = sent;
      },
    };
    write.result = transport({ ...operation, options: { ...options, once } });
    this.#writes.set(id, write);
    const [oldest] = this.#writes.keys();
    if (this.#writes.size > maxKeys && oldest !== undefined) this.#writes.delete(oldest);
    try {
      return await write.result;
    } catch (error) {
      write.result = undefined;
      const isKnown = ConnectorError.is(error) && !['unknown_outcome', 'invalid_response'].includes(error.code);
      if (isKnown || !write.sent) this.#writes.delete(id);
      throw error;
    }
  }
}
