import type { GongConnector } from 'agent-connectors/gong';

const day = 86_400_000;

/**
 * For each `entity.action`, parameters that succeed on a sandbox started at `start`; recordings are read up to this
 * many bytes.
 */
export function paramsAt(
  start: number,
  lastByte: number,
): Readonly<Record<string, (gong: GongConnector) => object | Promise<object>>> {
  const instant = (daysAgo: number) => new Date(start - daysAgo * day).toISOString();
  const date = (daysAgo: number) => instant(daysAgo).slice(0, 10);

  // The company's today may still be yesterday in UTC.
  const statistics = () => ({ filter: { fromDate: date(30), toDate: date(1) } });
  const period = { fromDateTime: instant(60), toDateTime: instant(0) };

  /** The newest call with a recording of this kind. */
  const recordedCall = (kind: 'audioUrl' | 'videoUrl') => async (gong: GongConnector) => {
    const exposedFields = { media: true as const };
    const { data } = await gong.calls_extensive.list({ filter: {}, contentSelector: { exposedFields } });
    const { metaData } = data.find(({ media }) => media?.[kind])!;
    return {
      filter: { callIds: [metaData!.id!] },
      contentSelector: { exposedFields },
      range_header: `bytes=0-${lastByte}`,
    };
  };

  return {
    'users.list': () => ({}),
    'users.get': async (gong) => ({ id: (await gong.users.list()).data[0]!.id }),
    'calls.list': () => period,
    'calls.get': async (gong) => ({ id: (await gong.calls.list()).data[0]!.id }),
    'calls_extensive.list': () => ({
      filter: { fromDateTime: instant(20), toDateTime: instant(0) },
      contentSelector: {
        context: 'Extended',
        exposedFields: {
          // Excludes media, whose URLs differ each time.
          parties: true,
          collaboration: { publicComments: true },
          interaction: { speakers: true, personInteractionStats: true, questions: true, video: true },
          content: { brief: true, outline: true, highlights: true, keyPoints: true, trackers: true, topics: true },
        },
      },
    }),
    'call_audio.download': recordedCall('audioUrl'),
    'call_video.download': recordedCall('videoUrl'),
    'workspaces.list': () => ({}),
    'call_transcripts.list': () => ({ filter: { fromDateTime: instant(10), toDateTime: instant(0) } }),
    'stats_activity_aggregate.list': statistics,
    'stats_activity_day_by_day.list': statistics,
    'stats_interaction.list': statistics,
    'settings_scorecards.list': () => ({}),
    'settings_trackers.list': () => ({}),
    'library_folders.list': async (gong) => ({ workspaceId: (await gong.workspaces.list()).data[0]!.id }),
    'library_folder_content.list': async (gong) => {
      const workspaceId = (await gong.workspaces.list()).data[0]!.id;
      const { data } = await gong.library_folders.list({ workspaceId });
      return { folderId: data.find(({ name }) => name === 'Win / Loss')!.id };
    },
    'coaching.list': async (gong) => {
      const [workspace] = (await gong.workspaces.list()).data;
      const dana = (await gong.users.list()).data.find(({ firstName }) => firstName === 'Dana')!;
      return { 'workspace-id': workspace!.id, 'manager-id': dana.id, from: instant(60), to: instant(0) };
    },
    'stats_activity_scorecards.list': () => ({ filter: period }),
  };
}
