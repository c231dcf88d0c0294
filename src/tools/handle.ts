import { ConnectorError } from '../errors/connector-error.js';
import type { Arguments } from './arguments.js';
import type { PartPosition } from './parts.js';

/**
 * Signs the handles of a service, so that only handles that it issued to this caller for this connector are accepted. A
 * handle repeats a read and grants nothing, with or without a signature.
 */
export interface HandleSigner {
  /** Signs a handle that belongs to a connector; the signature consists of letters, digits, `.`, `_` and `-`. */
  sign(handle: string, connector: string): string;
  /** Whether this signature is valid now. */
  verify(handle: string, connector: string, signature: string): boolean;
}

/** A call to repeat, and where to read on in its result. */
export interface Continuation {
  /** The arguments of the call. */
  readonly args: Arguments;
  readonly position: PartPosition;
}

/** The arguments that determine a read's result, in the order in which a handle lists them. */
const names = ['connector', 'entity', 'action', 'params', 'view', 'select_fields', 'exclude_fields'] as const;

/** Encodes a call and a position in its result. The handle consists of letters, digits, `.`, `_` and `-`. */
export function handleOf(
  { connector, ...args }: Arguments & { readonly connector: string },
  { line, column, digest, anchor }: PartPosition,
  signer: HandleSigner | undefined,
): string {
  const call = { connector, ...args } as Arguments;
  const parts = [line, column, digest, anchor, ...names.map((name) => call[name] ?? null)];
  while (parts.at(-1) === null) parts.pop();
  const handle = encode(JSON.stringify(parts));
  return signer ? `${handle}.${signer.sign(handle, connector)}` : handle;
}

/** Decodes a handle; rejects one that was altered or that the signer does not accept. */
export function readHandle(text: string, signer: HandleSigner | undefined): Continuation {
  const [handle = '', ...rest] = text.trim().split('.');
  const parts = decode(handle);
  if (!Array.isArray(parts)) throw invalidHandle();
  const [line, column, digest, anchor, ...values] = parts;
  const isPosition = [line, column].every(Number.isSafeInteger) && line >= 0 && column >= 0;
  const isCall = values.length <= names.length && values.slice(0, 3).every((value) => typeof value === 'string');
  if (!isPosition || !isCall || values.length < 3) throw invalidHandle();
  if (signer && !signer.verify(handle, values[0], rest.join('.'))) {
    throw invalidHandle('is invalid or has expired: pass a handle exactly as it was returned');
  }
  const args = Object.fromEntries(
    names.flatMap((name, index) => ((values[index] ?? null) === null ? [] : [[name, values[index]]])),
  );
  return { args, position: { line, column, digest, anchor } };
}

/** The error for a handle that cannot be used. */
export const invalidHandle = (message = 'is invalid: pass a handle exactly as it was returned'): ConnectorError =>
  new ConnectorError('invalid_params', `continue ${message}.`, {
    issues: [{ path: 'continue', message }],
    hint: 'Repeat the original call.',
  });

function encode(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function decode(handle: string): any {
  try {
    const binary = atob(handle.replaceAll('-', '+').replaceAll('_', '/'));
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0))));
  } catch {
    return undefined;
  }
}
