import * as z from 'zod';

/** The fields used from a service account's key file. */
export interface ServiceAccountKey {
  readonly email: string;
  readonly keyId: string | undefined;
  /** The private key in PKCS#8 DER format. */
  readonly pkcs8: Uint8Array<ArrayBuffer>;
  readonly tokenUri: string | undefined;
  /** Forms of the private key to redact from messages. */
  readonly secrets: readonly string[];
}

// A non-string value is treated as missing so that the message can name the field.
const text = z.string().optional().catch(undefined);
const KeyFile = z.looseObject({
  type: text,
  client_email: text,
  private_key: text,
  private_key_id: text,
  token_uri: text,
});

/** Parses a key file in any form used in environment variables, or describes what is wrong with it. */
export function readServiceAccountKey(text: string): ServiceAccountKey | { readonly fault: string } {
  const file = z.safeParse(KeyFile, parseKeyFile(text));
  if (!file.success) return { fault: 'is not key file JSON: pass the full contents of the file' };
  const { type, client_email, private_key, private_key_id, token_uri } = file.data;
  if (type !== 'service_account') return { fault: `is ${kindOf(type, file.data)}` };
  if (!client_email?.includes('@')) return { fault: 'has no client_email' };
  if (!private_key) return { fault: 'has no private_key' };
  const key = pkcs8(private_key);
  if (typeof key === 'string') return { fault: `has a private_key that ${key}` };
  return {
    email: client_email,
    keyId: private_key_id,
    pkcs8: key,
    tokenUri: token_uri,
    secrets: [private_key, ...linesOf(private_key)],
  };
}

/** Plain JSON, a quoted JSON string, base64, or JSON with expanded line breaks. */
function parseKeyFile(text: string): unknown {
  const trimmed = text.trim();
  const forms = [
    () => JSON.parse(trimmed),
    // A shell that expands \n puts line breaks into the key's string.
    () => JSON.parse(trimmed.replace(/"(?:[^"\\]|\\.?)*(?:"|$)/gs, (string) => string.replace(/\r?\n/g, '\\n'))),
    () => JSON.parse(new TextDecoder().decode(decode(trimmed))),
    // Env files may keep the quotes around a value or escape those inside it.
    () => JSON.parse(trimmed.replace(/^(['"])(\{.*\})\1$/s, '$2')),
    () => JSON.parse(`"${trimmed}"`),
  ];
  for (const form of forms) {
    try {
      const value = form();
      return typeof value === 'string' ? JSON.parse(value) : value;
    } catch {
      // Try the next form.
    }
  }
  return undefined;
}

function kindOf(type: string | undefined, file: object): string {
  if (type === 'authorized_user') return 'a gcloud user credentials file, not a service account key file';
  if ('installed' in file || 'web' in file) return "an OAuth client's file, not a service account key file";
  return 'not a service account key file';
}

const decode = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64.replace(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));

const linesOf = (pem: string) => pem.split(/\\n|\r?\n/).filter((line) => line.length > 20 && !line.includes('-----'));

/** Converts a PEM key to PKCS#8, or describes what is wrong with it. */
function pkcs8(pem: string): Uint8Array<ArrayBuffer> | string {
  const text = pem
    .replace(/\\r|\r/g, '')
    .replaceAll('\\n', '\n')
    .trim();
  if (/ENCRYPTED/.test(text)) return 'is encrypted';
  const [, label, body] = /^-----BEGIN ([A-Z ]+)-----([^-]+)-----END \1-----$/.exec(text) ?? [];
  if (label === undefined || body === undefined) return 'is not PEM, from BEGIN to END';
  if (label !== 'PRIVATE KEY' && label !== 'RSA PRIVATE KEY') return 'is not an RSA key';
  let der: Uint8Array<ArrayBuffer>;
  try {
    der = decode(body);
  } catch {
    return 'is damaged: the text between BEGIN and END is not base64';
  }
  // Both formats are a single ASN.1 sequence whose length shows whether it is complete.
  if (der[0] !== 0x30 || lengthAt(der) !== der.length) return 'is truncated';
  return label === 'PRIVATE KEY' ? der : wrapPkcs1(der);
}

/** Length of the leading sequence, including its header. */
function lengthAt(der: Uint8Array): number {
  const first = der[1] ?? 0;
  if (first < 0x80) return 2 + first;
  const count = first & 0x7f;
  return der.subarray(2, 2 + count).reduce((length, byte) => length * 256 + byte, 0) + 2 + count;
}

const rsaAlgorithm = [0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];

/** Wraps a PKCS#1 key in PKCS#8, as WebCrypto requires (RFC 5208). */
function wrapPkcs1(pkcs1: Uint8Array): Uint8Array<ArrayBuffer> {
  const key = [0x04, ...lengthOf(pkcs1.length), ...pkcs1];
  const content = [0x02, 0x01, 0x00, ...rsaAlgorithm, ...key];
  return new Uint8Array([0x30, ...lengthOf(content.length), ...content]);
}

const lengthOf = (length: number): number[] =>
  length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
