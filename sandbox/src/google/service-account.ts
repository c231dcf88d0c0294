import { testPrivateKey } from './test-key.js';

/** Required audience of assertions. */
export const tokenAddress = 'https://oauth2.googleapis.com/token';

/** A service account, for the token endpoint. */
export interface ServiceAccount {
  /** Credential label for its requests in the log. */
  label: string;
  client_email: string;
  private_key_id: string;
  /** The account's numeric id. */
  client_id: string;
  /** Number of the project its requests count toward. */
  project: string;
  /** People it can act for, by email address, and the resulting credential label. */
  subjects: Readonly<Record<string, string>>;
  /** Scopes delegated by the domain, without their common prefix; all by default. */
  delegatedScopes?: readonly string[];
}

const projectName = 'fernhill-sandbox';

/** Creates a service account in the sandbox's project. */
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

/** A key file as downloaded from Google's console, as JSON on one line. */
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
