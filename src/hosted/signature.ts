const decode = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));

/** Whether one of the signatures (base64 or base64url) is the HMAC-SHA-256 of the text with one of the secrets. */
export async function signatureMatches(
  secrets: readonly string[],
  text: string,
  signatures: readonly string[],
): Promise<boolean> {
  for (const secret of secrets) {
    const bytes = decode(secret.slice(secret.indexOf('_') + 1));
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of signatures.slice(0, 10)) {
      // Constant-time comparison.
      if (/^[\w+/=-]{43,44}$/.test(signature) && (await matches(key, signature, text))) return true;
    }
  }
  return false;
}

const matches = (key: CryptoKey, signature: string, text: string): Promise<boolean> =>
  crypto.subtle.verify('HMAC', key, decode(signature), new TextEncoder().encode(text));
