import { GongConnector } from 'agent-connectors/gong';
import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import { testConnector } from 'agent-connectors-sandbox/testing';
import { paramsAt } from './params.js';

// A whole second, since the Date header has no fractions.
const start = Math.floor(Date.now() / 1000) * 1000;

/** The sandbox's clock is stopped, so a rate limit would never lift. */
const generous = { requestsPerSecond: Number.MAX_SAFE_INTEGER };

testConnector({
  Connector: GongConnector,
  sandbox: () => {
    const sandbox = createSandbox({ seed: 7, now: () => start });
    sandbox.vendors.gong.limits = generous;
    return sandbox;
  },
  credentials: ({ vendors }) => ({ ...vendors.gong.credentials.basic }),
  guide: new URL('../../../connectors/gong/guide.md', import.meta.url),
  pages: {
    // The exact number of records: a larger page would only take longer.
    maxSize: 100,
    setSize: ({ vendors }: Sandbox, size: number) => {
      vendors.gong.limits = { ...generous, pageSize: size };
    },
    // A null cursor marks the end, like an omitted one.
    faults: ['half_page', 'endless_cursor'],
  },
  unpaginated: ['library_folder_content.list'],
  params: paramsAt(start, 99),
  parameters: {
    values: {
      'filter.toDate': new Date(start - 2 * 86_400_000).toISOString().slice(0, 10),
      'filter.toDateTime': new Date(start - 5 * 86_400_000).toISOString(),
      to: new Date(start - 86_400_000).toISOString(),
    },
    unsent: {
      'call_transcripts.list': { to: 'selects from the sentences that come back; Gong cannot' },
      'settings_scorecards.list': { workspaceId: 'selects from all scorecards, for which Gong has no parameters' },
      'library_folder_content.list': { cursor: 'has no effect, as its description says' },
      'stats_activity_scorecards.list': {
        'filter.reviewerUserIds': 'selects from the reviews that come back; Gong cannot',
        'filter.callIds': 'selects from the reviews that come back; Gong cannot',
      },
    },
  },
});
