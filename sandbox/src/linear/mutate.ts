import type { LinearContext } from './context.js';
import { type FailedCheck, forbidden, idTaken, invalidArgument } from './errors.js';
import type { BotActor, Row } from './rows.js';
import type { Table } from './table.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Input objects from graphql-js: a missing key stays missing. */
export type Input = Record<string, any>;

/** Rejects read-only credentials. */
export function requireWrite(context: LinearContext): void {
  if (!context.mayWrite) throw forbidden('write');
}

/** Collects failed validations and reports them together. */
export class InputValidator {
  private readonly failures: FailedCheck[] = [];

  uuid(input: Input, ...properties: string[]): this {
    for (const property of properties) {
      const value: unknown = input[property];
      if (Array.isArray(value)) {
        if (!value.every((one) => uuid.test(one))) {
          this.fail(property, 'isUuid', `each value in ${property} must be a UUID`);
        }
      } else if (value != null && !uuid.test(String(value))) {
        this.fail(property, 'isUuid', `${property} must be a UUID`);
      }
    }
    return this;
  }

  priority(input: Input): this {
    const value = input.priority;
    if (value != null && value > 4) this.fail('priority', 'max', 'priority must not be greater than 4');
    if (value != null && value < 0) this.fail('priority', 'min', 'priority must not be less than 0');
    return this;
  }

  maxLength(input: Input, property: string, length: number): this {
    const value = input[property];
    if (typeof value === 'string' && value.length > length) {
      this.fail(property, 'maxLength', `${property} must be shorter than or equal to ${length} characters`);
    }
    return this;
  }

  notEmpty(input: Input, property: string, isRequired = false): this {
    const isAbsent = input[property] === undefined;
    if (isAbsent ? isRequired : input[property] === null || String(input[property]).trim() === '') {
      this.fail(property, 'isNotEmpty', `${property} should not be empty`);
    }
    return this;
  }

  fail(property: string, constraint: string, message: string): void {
    this.failures.push({ property, constraints: { [constraint]: message } });
  }

  throwIfFailed(): void {
    if (this.failures.length > 0) throw invalidArgument(this.failures);
  }
}

/** The id of a new row: the one supplied by the client, if any. */
export function newId(
  context: LinearContext,
  table: { get(id: string): unknown },
  type: string,
  requestedId: unknown,
): string {
  if (requestedId == null) return context.workspace.random.uuid();
  if (table.get(String(requestedId))) throw idTaken(type, String(requestedId));
  return String(requestedId);
}

/** Common fields of all payloads. */
export function payload(context: LinearContext): { success: boolean; lastSyncId: number } {
  const success = context.fault !== 'success_false';
  if (success) context.workspace.lastSyncId += 1;
  return { success, lastSyncId: context.workspace.lastSyncId };
}

/** Stores a new row, unless the request has the silent failure fault. */
export function store<Stored extends Row>(context: LinearContext, table: Table<Stored>, row: Stored): Stored {
  return context.fault === 'success_false' ? row : table.insert(row);
}

/** Updates a row, unless the request has the silent failure fault. */
export function update<Stored extends Row>(
  context: LinearContext,
  table: Table<Stored>,
  row: Stored,
  changes: Partial<Stored>,
): Stored {
  if (context.fault === 'success_false') return row;
  return table.change(row, { ...changes, updatedAt: isoOf(context.now) });
}

/** The author shown for a write that sets `createAsUser`. */
export function namedActor({ createAsUser, displayIconUrl }: Input, id: string): BotActor | null {
  if (!createAsUser) return null;
  const avatarUrl = displayIconUrl ?? null;
  return { id, type: 'oauthClient', subType: null, name: createAsUser, userDisplayName: createAsUser, avatarUrl };
}

/** The named input keys that are present, including nulls. */
export function pickDefined(input: Input, ...names: string[]): Input {
  return Object.fromEntries(names.filter((name) => input[name] !== undefined).map((name) => [name, input[name]]));
}

/** A time in Linear's format. */
export function isoOf(time: number): string {
  return new Date(time).toISOString();
}
