import { GongConnector } from 'agent-connectors/gong';
import { createSandbox } from 'agent-connectors-sandbox';
import { start, subjectOf } from '../subject.js';

const day = 86_400_000;
const instant = (daysAgo: number) => new Date(start - daysAgo * day).toISOString();
const date = (daysAgo: number) => instant(daysAgo).slice(0, 10);
const period = { fromDateTime: instant(60), toDateTime: instant(0) };
// The company's today may still be what is yesterday in UTC.
const statistics = () => ({ filter: { fromDate: date(30), toDate: date(1) } });

/** The newest call that has a recording of this kind. */
const recorded = (kind: 'audioUrl' | 'videoUrl') => async (gong: GongConnector) => {
  const exposedFields = { media: true as const };
  const { data } = await gong.calls_extensive.list({ filter: {}, contentSelector: { exposedFields } });
  const { metaData } = data.find(({ media }) => media?.[kind])!;
  return { filter: { callIds: [metaData!.id!] }, contentSelector: { exposedFields }, range_header: 'bytes=0-99999' };
};

export const gong = subjectOf({
  Connector: GongConnector,
  sandbox: () => {
    const sandbox = createSandbox({ seed: 7, now: () => start });
    // The clock stands still, so that the allowance would never be renewed; pages are small, so that there are several.
    sandbox.vendors.gong.limits = { requestsPerSecond: Number.MAX_SAFE_INTEGER, pageSize: 40 };
    return sandbox;
  },
  credentials: ({ vendors }) => ({ ...vendors.gong.credentials.basic }),
  params: {
    'users.list': () => ({}),
    'users.get': async (connector) => ({ id: (await connector.users.list()).data[0]!.id }),
    'calls.list': () => period,
    'calls.get': async (connector) => ({ id: (await connector.calls.list()).data[0]!.id }),
    'calls_extensive.list': () => ({
      filter: { fromDateTime: instant(20), toDateTime: instant(0) },
      contentSelector: {
        context: 'Extended',
        // Not media, whose addresses are others each time.
        exposedFields: { parties: true, content: { brief: true, outline: true, trackers: true, topics: true } },
      },
    }),
    'call_audio.download': recorded('audioUrl'),
    'call_video.download': recorded('videoUrl'),
    'workspaces.list': () => ({}),
    'call_transcripts.list': () => ({ filter: { fromDateTime: instant(10), toDateTime: instant(0) } }),
    'stats_activity_aggregate.list': statistics,
    'stats_activity_day_by_day.list': statistics,
    'stats_interaction.list': statistics,
    'settings_scorecards.list': () => ({}),
    'settings_trackers.list': () => ({}),
    'library_folders.list': async (connector) => ({ workspaceId: (await connector.workspaces.list()).data[0]!.id }),
    'library_folder_content.list': async (connector) => {
      const workspaceId = (await connector.workspaces.list()).data[0]!.id;
      const { data } = await connector.library_folders.list({ workspaceId });
      return { folderId: data.find(({ name }) => name === 'Win / Loss')!.id };
    },
    'coaching.list': async (connector) => {
      const [workspace] = (await connector.workspaces.list()).data;
      const dana = (await connector.users.list()).data.find(({ firstName }) => firstName === 'Dana')!;
      return { 'workspace-id': workspace!.id, 'manager-id': dana.id, from: instant(60), to: instant(0) };
    },
    'stats_activity_scorecards.list': () => ({ filter: period }),
  },
  small: () => ({}),
});
