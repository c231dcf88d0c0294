import * as z from 'zod';
import {
  action,
  type DoctorReads,
  type Quota,
  type Returns,
  type SetupGuide,
  type SetupSource,
} from '../../src/authoring.js';
import { propertiesIn } from './properties.js';

interface Account {
  readonly displayName?: string;
  readonly propertySummaries?: ReadonlyArray<{ readonly property: string; readonly displayName?: string }>;
}

/** Allows more accounts than anyone would want to choose from. */
const maxPages = 20;

const summaries: Returns = { kind: 'records', meta: undefined, shape: (data) => data };

async function accountsOf({ call }: SetupSource): Promise<Account[]> {
  const found: Account[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const { data, meta } = await call('accounts', pageToken === undefined ? {} : { pageToken });
    found.push(...data);
    pageToken = meta.nextPageToken;
    if (!pageToken) break;
  }
  return found;
}

/** The property's quota, from a report's meta; `consumed` is what that report used. */
function quotaIn({ metas }: DoctorReads): Quota[] {
  const quotas = [...metas.values()].map((meta) => meta.property_quota).find(Boolean) as
    | Readonly<Record<string, { remaining?: unknown } | null>>
    | undefined;
  return Object.entries(quotas ?? {}).flatMap(([name, quota]) =>
    typeof quota?.remaining === 'number' ? [{ name, remaining: quota.remaining, limit: null }] : [],
  );
}

/** The setup guide for Google Analytics. */
export const setup: SetupGuide = {
  color: '#b45309',
  calls: {
    // developers.google.com/analytics/devguides/config/admin/v1/rest: accountSummaries.list
    accounts: action({
      description: 'Accounts with their properties.',
      params: z.strictObject({ pageToken: z.string().optional() }),
      returns: summaries,
      request: ({ pageToken }) => ({
        method: 'GET',
        url: '/v1beta/accountSummaries',
        to: 'admin',
        query: { pageSize: 200, pageToken, prettyPrint: false },
      }),
      read: (body) => ({ data: body?.accountSummaries ?? [], meta: { nextPageToken: body?.nextPageToken } }),
      next: ({ nextPageToken }) => typeof nextPageToken === 'string' && { pageToken: nextPageToken },
      example: {},
    }),
  },
  async identify(source) {
    const accounts = await accountsOf(source);
    const names = accounts.map(({ displayName }) => displayName).filter(Boolean);
    return { name: null, detail: `${names.length === 1 ? 'Account' : 'Accounts'}: ${names.join(', ') || '(none)'}` };
  },
  account: 'Google',
  help: {
    'oauth.client_id': {
      text: 'In the Google Cloud console, under Google Auth Platform > Clients (formerly APIs & Services > Credentials), create a client of type Web application.',
      url: 'https://developers.google.com/identity/protocols/oauth2/web-server',
    },
    'oauth.client_secret': { text: 'Google shows it with the client id when you create the client.' },
    'oauth.refresh_token': { text: 'From an earlier sign-in to your application.' },
    'service_account.credentials_json': {
      text: 'In the Google Cloud console, under IAM & Admin > Service Accounts, choose the account, then Keys > Add key > Create new key > JSON. Paste the entire content of the downloaded file here.',
      url: 'https://cloud.google.com/iam/docs/keys-create-delete',
    },
  },
  fields: {
    property_ids: {
      help: 'Separate IDs with commas.',
      required: 'Select or enter at least one property.',
      values: propertiesIn,
    },
    start_date: {
      label: 'Start date',
      help: 'Earlier records are not synced. Leave empty to go back two years.',
      input: 'date',
    },
  },
  probe: {
    entity: 'website_overview',
    action: 'list',
    params: ({ property_ids }) => ({ property_id: propertiesIn(property_ids)[0] ?? '', limit: 1 }),
  },
  doctor: {
    parameters: {
      property_id: {
        argument: 'property_id',
        variable: 'GOOGLE_ANALYTICS_PROPERTY_ID',
        config: 'property_ids',
      },
    },
    optional: { returnPropertyQuota: true },
    quota: quotaIn,
  },
  choices: {
    property_ids: {
      title: 'Properties',
      several: true,
      list: async (source) =>
        (await accountsOf(source)).flatMap(({ displayName: account, propertySummaries = [] }) =>
          propertySummaries.map(({ property, displayName }) => {
            const value = property.replace(/^properties\//, '');
            return { value, label: `${displayName ?? value} (${account ?? 'account'}, ${value})` };
          }),
        ),
    },
  },
};
