import { generateKeyPairSync } from 'node:crypto';

/** A service account's key file: its text and the lines of its key. */
interface KeyFile {
  readonly text: string;
  readonly lines: readonly string[];
}

/** A key file unknown to every vendor: every field contains `mark` except the key, which is valid for signing. */
export function keyFile(mark: string): KeyFile {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const private_key = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const text = JSON.stringify({
    type: 'service_account',
    project_id: 'unknown',
    private_key_id: `${mark}private_key_id`,
    private_key,
    client_email: 'unknown@unknown.iam.gserviceaccount.com',
    client_id: `${mark}client_id`,
    token_uri: 'https://oauth2.googleapis.com/token',
    extra: `${mark}extra`,
  });
  return { text, lines: linesOf(text) };
}

/** The lines of the key in a key file's text: each line is as secret as the whole key. */
export const linesOf = (text: string): string[] =>
  (JSON.parse(text) as { private_key: string }).private_key
    .split('\n')
    .filter((line) => line.length > 20 && !line.startsWith('-----'));
