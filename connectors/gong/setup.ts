import type { SetupGuide } from '../../src/authoring.js';

const dayMs = 86_400_000;
const midnight = (now: number, daysAgo: number) =>
  `${new Date(now - daysAgo * dayMs).toISOString().slice(0, 10)}T00:00:00Z`;

/** The week that ended yesterday, for reads that require a period. */
const week = (now: number) => ({ fromDateTime: midnight(now, 8), toDateTime: midnight(now, 1) });
const days = (now: number) => ({ fromDate: midnight(now, 8).slice(0, 10), toDate: midnight(now, 1).slice(0, 10) });

/** The setup guide for Gong. */
export const setup: SetupGuide = {
  color: '#8039df',
  async identify({ execute }) {
    const { data } = await execute('workspaces', 'list', {});
    const names = data.map(({ name }: { name: string | null }) => name).filter(Boolean);
    return {
      name: null,
      detail: `Gong does not report the owner of a key. Visible workspaces: ${names.join(', ') || '(none)'}`,
    };
  },
  help: {
    'access_key.access_key': {
      text: 'A technical administrator creates it in Gong under Admin center > Settings > Ecosystem > API > Get API key.',
      url: 'https://help.gong.io/docs/receive-access-to-the-api',
    },
    'access_key.access_key_secret': { text: 'Gong shows it once, with the access key.' },
    'oauth.client_id': {
      text: 'A technical administrator creates an integration in Gong under Admin center > Settings > Ecosystem > API > Integrations. If it has trusted IPs, add this service’s address.',
      url: 'https://help.gong.io/docs/create-an-app-for-gong',
    },
    'oauth.client_secret': { text: 'Gong shows it in the integration’s row.' },
    'oauth.refresh_token': { text: 'From an earlier sign-in to your integration; single-use.' },
  },
  labels: { includePrivate: 'Include private calls' },
  fields: {
    start_date: {
      label: 'Start date',
      help: 'Earlier records are not synced. Leave empty to go back one year.',
      input: 'date',
    },
  },
  probe: { entity: 'users', action: 'list' },
  doctor: {
    parameters: {
      workspaceId: { entity: 'workspaces', field: 'id' },
      'workspace-id': { entity: 'workspaces', field: 'id' },
      'manager-id': { entity: 'users', field: 'id' },
      folderId: { entity: 'library_folders', field: 'id' },
      from: (now) => midnight(now, 8),
      to: (now) => midnight(now, 1),
      'calls_extensive.filter': week,
      'call_transcripts.filter': week,
      'stats_activity_scorecards.filter': week,
      'stats_activity_aggregate.filter': days,
      'stats_activity_day_by_day.filter': days,
      'stats_interaction.filter': days,
    },
    identity: { entity: 'workspaces', paths: ['name', 'id'] },
  },
};
