import { personFields } from 'agent-connectors/wire';
import * as z from 'zod';
import type { Person } from '../../data/state/rows.js';
import { httpError } from '../http-error.js';

/** The user specified in a request, or null. */
export function personIn({
  as_user,
  as_groups = [],
}: {
  readonly as_user?: string | undefined;
  readonly as_groups?: readonly string[] | undefined;
}): Person | null {
  if (as_user === undefined && as_groups.length > 0) {
    throw httpError(400, 'invalid_params', 'as_groups requires as_user.');
  }
  return as_user === undefined ? null : { email: as_user, groups: as_groups };
}

/** The user specified by command options, or null. */
export function personOf(as_user: string | undefined, as_groups: readonly string[] = []): Person | null {
  if (as_user === undefined && as_groups.length > 0) throw new RangeError('--as-group requires --as-user.');
  if (as_user === undefined) return null;
  const { data, error } = z.object(personFields).safeParse({ as_user, as_groups });
  if (error) throw new RangeError('--as-user and each --as-group must be an email address, with at most 40 groups.');
  return personIn(data);
}

/** The user that a new token is bound to; requesting a new token never removes or changes a binding. */
export function bindingOf(own: Person | null, requested: Person | null): Person | null {
  if (!own || !requested || own.email === requested.email) return own ?? requested;
  throw httpError(403, 'forbidden', 'This token is bound to a user and cannot create a token for another user.');
}

/** Reader names that match a user, in the format of `Access` in `agent-connectors/replication`. */
export const readersFor = ({ email: address, groups }: Person): string[] => [
  'anyone',
  `user:${address}`,
  `domain:${domainOf(address)}`,
  ...groups.map((group) => `group:${group}`),
];

/** Reader names for a record that the user has a link to. */
export const readersByLink = (person: Person): string[] => [
  ...readersFor(person),
  'link:anyone',
  `link:domain:${domainOf(person.email)}`,
];

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);
