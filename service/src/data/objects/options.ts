import { fileURLToPath } from 'node:url';
import { folderStore } from './folder.js';
import { s3Store } from './s3.js';
import type { ObjectStore } from './types.js';

const name = 'AGENT_CONNECTORS_OBJECTS';

/** The object store configured in the environment, if any. Errors name the variable but never include its value. */
export function objectsFrom(environment: Readonly<Record<string, string | undefined>>): ObjectStore | undefined {
  const read = (variable: string) => environment[variable]?.trim() || undefined;
  const location = read(name);
  if (location === undefined) return undefined;
  const url = URL.canParse(location) ? new URL(location) : undefined;
  if (url?.protocol === 'file:' && url.host === '' && url.pathname !== '/') return folderStore(fileURLToPath(url));
  const prefix = url?.pathname.replace(/^\/+|\/+$/g, '') ?? '';
  const isBucket = url?.protocol === 's3:' && /^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(url.host);
  if (!isBucket || url.username || url.search || url.hash || !/^[\w./-]*$/.test(prefix)) {
    throw new Error(`${name} must be s3://bucket/prefix or file:///folder.`);
  }
  const required = (variable: string): string => {
    const value = read(variable);
    if (value === undefined) throw new Error(`${name} specifies a bucket, so ${variable} must also be set.`);
    return value;
  };
  const endpoint = read('AWS_ENDPOINT_URL_S3') ?? read('AWS_ENDPOINT_URL');
  const address = endpoint !== undefined && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (endpoint !== undefined && (!address || !/^https?:$/.test(address.protocol) || address.username)) {
    throw new Error('AWS_ENDPOINT_URL_S3 must be an http or https URL without a username or password.');
  }
  return s3Store({
    bucket: url.host,
    prefix,
    endpoint,
    region: read('AWS_REGION') ?? read('AWS_DEFAULT_REGION') ?? 'us-east-1',
    accessKeyId: required('AWS_ACCESS_KEY_ID'),
    secretAccessKey: required('AWS_SECRET_ACCESS_KEY'),
    sessionToken: read('AWS_SESSION_TOKEN'),
  });
}
