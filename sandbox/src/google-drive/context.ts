import { type Person, people } from '../company.js';
import type { FaultRule } from '../faults.js';
import type { FolderDrive } from '../folder-drive.js';
import type { VendorRequest } from '../vendor.js';
import { driveServiceAccounts } from './credentials.js';
import type { PermissionRow } from './rows.js';
import type { DriveWorld } from './world.js';

/** What a user of the sandbox can make smaller. */
export interface GoogleDriveLimits {
  /** Bytes that one person may store; unlimited when left out. */
  storage?: number;
  /** Bytes that an export may have; ten megabytes when left out. */
  exported?: number;
}

/** What the methods of one request work with. */
export interface DriveContext {
  world: DriveWorld;
  request: VendorRequest;
  search: URLSearchParams;
  /** The key of the person who asks. */
  person: string;
  /** The label of the credential. */
  grant: string;
  scopes: ReadonlySet<string>;
  isAdministrator: boolean;
  now: number;
  fault: FaultRule | undefined;
  limits: GoogleDriveLimits;
  /** The folder of the disk that is served as My Drive. */
  folder: FolderDrive | undefined;
}

/** The time of the request as Drive writes times. */
export function requestTime(context: DriveContext): string {
  return new Date(context.now).toISOString();
}

/** The service accounts as some of those who may own and see files. */
export const serviceAccountUsers: readonly Person[] = driveServiceAccounts.map(({ client_email: email }) => ({
  ...{ key: email.split('@')[0]!, name: email, email },
  ...{ title: 'Service account', timezone: 'UTC', group: 'operations' },
}));

const everybody: readonly Person[] = [...people, ...serviceAccountUsers];
const byKey = new Map<string, Person>(everybody.map((person) => [person.key, person]));

/** Somebody at the company, by key. */
export function personForKey(key: string): Person {
  return byKey.get(key) ?? people[0]!;
}

/** Somebody at the company, by address. */
export function personForEmail(email: string): Person | undefined {
  return everybody.find((person) => person.email === email);
}

/** Whoever a token acts for; an account that Drive has never seen is like one that nothing was shared with. */
export function personForAccount(email: string): Person {
  return personForEmail(email) ?? serviceAccountUsers.at(-1)!;
}

/** The number by which permissions name somebody. */
export function permissionIdOf(text: string): string {
  let high = 7;
  let low = 0x811c9dc5;
  for (const character of text) {
    low = Math.imul(low ^ character.codePointAt(0)!, 0x01000193) >>> 0;
    high = (Math.imul(high, 31) + low) >>> 0;
  }
  return `1${String(high).padStart(10, '0')}${String(low).padStart(10, '0')}`.slice(0, 20);
}

/** The permission of whoever owns a file. */
export function ownerPermission(key: string): PermissionRow {
  const { email: emailAddress, name: displayName } = personForKey(key);
  return { id: permissionIdOf(emailAddress), type: 'user', role: 'owner', emailAddress, displayName };
}

/** Somebody as Drive shows people. */
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

/** The author of a comment, whose address Drive keeps to itself. */
export function authorOf(context: DriveContext, key: string): Record<string, unknown> {
  const { kind, displayName, photoLink, me } = userOf(context, key);
  return { kind, displayName, photoLink, me };
}
