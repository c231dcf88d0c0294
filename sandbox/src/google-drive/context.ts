import { type Person, people } from '../company.js';
import type { FaultRule } from '../faults.js';
import type { FolderDrive } from '../folder-drive.js';
import { driveServiceAccounts } from '../google/drive-credentials.js';
import type { VendorRequest } from '../vendor.js';
import type { PermissionRow } from './rows.js';
import type { DriveWorld } from './world.js';

/** Limits that users of the sandbox can lower. */
export interface GoogleDriveLimits {
  /** Storage per person in bytes; unlimited by default. */
  storage?: number;
  /** Maximum export size in bytes; ten megabytes by default. */
  exported?: number;
}

/** Context of one request. */
export interface DriveContext {
  world: DriveWorld;
  request: VendorRequest;
  search: URLSearchParams;
  /** The caller's person key. */
  person: string;
  /** The credential's label. */
  grant: string;
  scopes: ReadonlySet<string>;
  isAdministrator: boolean;
  now: number;
  fault: FaultRule | undefined;
  limits: GoogleDriveLimits;
  /** The folder on disk served as My Drive. */
  folder: FolderDrive | undefined;
}

/** The request time in Drive's format. */
export function requestTime(context: DriveContext): string {
  return new Date(context.now).toISOString();
}

/** Service accounts as users who can own and see files. */
export const serviceAccountUsers: readonly Person[] = driveServiceAccounts.map(({ client_email: email }) => ({
  key: email.split('@')[0]!,
  name: email,
  email,
  title: 'Service account',
  timezone: 'UTC',
  group: 'operations',
}));

const everybody: readonly Person[] = [...people, ...serviceAccountUsers];
const byKey = new Map<string, Person>(everybody.map((person) => [person.key, person]));

/** Finds a person by key. */
export function personForKey(key: string): Person {
  return byKey.get(key) ?? people[0]!;
}

/** Finds a person by email address. */
export function personForEmail(email: string): Person | undefined {
  return everybody.find((person) => person.email === email);
}

/** The person a token acts for; nothing is shared with an unknown account. */
export function personForAccount(email: string): Person {
  return personForEmail(email) ?? serviceAccountUsers.at(-1)!;
}

/** A person's id in permissions. */
export function permissionIdOf(text: string): string {
  let high = 7;
  let low = 0x811c9dc5;
  for (const character of text) {
    low = Math.imul(low ^ character.codePointAt(0)!, 0x01000193) >>> 0;
    high = (Math.imul(high, 31) + low) >>> 0;
  }
  return `1${String(high).padStart(10, '0')}${String(low).padStart(10, '0')}`.slice(0, 20);
}

/** The owner's permission on a file. */
export function ownerPermission(key: string): PermissionRow {
  const { email: emailAddress, name: displayName } = personForKey(key);
  return { id: permissionIdOf(emailAddress), type: 'user', role: 'owner', emailAddress, displayName };
}

/** A person in Drive's user format. */
export function userOf(context: DriveContext, key: string): Record<string, unknown> {
  const { name, email } = personForKey(key);
  return {
    kind: 'drive#user',
    displayName: name,
    photoLink: `https://lh3.googleusercontent.com/a/${permissionIdOf(email)}=s64`,
    me: key === context.person,
    permissionId: permissionIdOf(email),
    emailAddress: email,
  };
}

/** The author of a comment, whose email address Drive hides. */
export function authorOf(context: DriveContext, key: string): Record<string, unknown> {
  const { kind, displayName, photoLink, me } = userOf(context, key);
  return { kind, displayName, photoLink, me };
}
