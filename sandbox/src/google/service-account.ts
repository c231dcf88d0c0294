import { testPrivateKey } from './test-key.js';

/** Where an assertion says that it is meant for. */
export const tokenAddress = 'https://oauth2.googleapis.com/token';

/** A service account as the token endpoint knows it. */
export interface ServiceAccount {
  /** What the requests made with it are recorded as. */
  label: string;
  client_email: string;
  private_key_id: string;
  /** The number that stands for the account. */
  client_id: string;
  /** The number of the project that its requests are counted for. */
  project: string;
  /** The people for whom it may act, by address, and what the requests are then recorded as. */
  subjects: Readonly<Record<string, string>>;
  /** The scopes that the domain has delegated, without their common beginning; all when left out. */
  delegatedScopes?: readonly string[];
}

const projectName = 'fernhill-sandbox';

/** Makes a service account of the sandbox's project. */
export function serviceAccount(
  name: string,
  number: number,
  project: string,
  subjects: ServiceAccount['subjects'] = {},
): ServiceAccount {
  return {
    label: 'service_account',
    client_email: `${name}@${projectName}.iam.gserviceaccount.com`,
    private_key_id: number.toString(16).padStart(2, '0').repeat(20),
    client_id: `1000000000000000000${String(number).padStart(2, '0')}`,
    project,
    subjects,
  };
}

/** The key file that Google's console hands out for an account, as JSON text in one line. */
export function keyFile({ client_email, private_key_id, client_id }: ServiceAccount): string {
  const file = {
    type: 'service_account',
    project_id: projectName,
    private_key_id,
    private_key: testPrivateKey,
    client_email,
    client_id,
    auth_uri: 'https://accounts.google.com/o/oauth2/auth',
    token_uri: tokenAddress,
    auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs',
    client_x509_cert_url: `https://www.googleapis.com/robot/v1/metadata/x509/${encodeURIComponent(client_email)}`,
    universe_domain: 'googleapis.com',
  };
  return JSON.stringify(file);
}
