import * as z from 'zod';
import { action, type Returns, type SetupGuide, type SetupSource } from '../../src/authoring.js';

interface Account {
  readonly displayName?: string;
  readonly propertySummaries?: ReadonlyArray<{ readonly property: string; readonly displayName?: string }>;
}

/** More accounts than anyone picks from. */
const mostPages = 20;

const summaries: Returns = { kind: 'records', meta: undefined, shape: (data) => data };

async function accountsOf({ call }: SetupSource): Promise<Account[]> {
  const found: Account[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const { data, meta } = await call('accounts', pageToken === undefined ? {} : { pageToken });
    found.push(...data);
    pageToken = meta.nextPageToken;
    if (!pageToken) break;
  }
  return found;
}

/** How a person is helped to connect Google Analytics. */
export const setup: SetupGuide = {
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
        query: { pageSize: 200, pageToken },
      }),
      read: (body) => ({ data: body?.accountSummaries ?? [], meta: { nextPageToken: body?.nextPageToken } }),
      example: {},
    }),
  },
  async identify(source) {
    const accounts = await accountsOf(source);
    const names = accounts.map(({ displayName }) => displayName).filter(Boolean);
    return { name: null, detail: `Google Analytics shows the accounts ${names.join(', ') || '(none)'}` };
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
