import { type Team, teams } from '../../teams.js';

/** A team in the seed. */
export interface SeedTeam extends Team {
  description: string | null;
  timezone: string;
  color: string;
  icon: string;
  /** The team's share of issues. */
  share: number;
}

const looks: Record<Team['key'], Omit<SeedTeam, keyof Team>> = {
  ENG: {
    description: 'API, ledger core and infrastructure',
    timezone: 'Europe/Berlin',
    color: '#4f6bed',
    icon: 'Terminal',
    share: 0.46,
  },
  MOB: {
    description: 'Apps for iOS and Android 📱',
    timezone: 'Europe/Stockholm',
    color: '#26b5ce',
    icon: 'Phone',
    share: 0.22,
  },
  DES: { description: null, timezone: 'Europe/Paris', color: '#f2994a', icon: 'Art', share: 0.12 },
  SUP: {
    description: 'What customers tell us, until it is somebody else’s issue',
    timezone: 'America/New_York',
    color: '#5e6ad2',
    icon: 'Chat',
    share: 0.2,
  },
};

/** The company's teams in Linear. */
export const seedTeams: readonly SeedTeam[] = teams.map((team) => ({ ...team, ...looks[team.key] }));

/** The workflow of every team, from left to right. */
export const seedStates = [
  { name: 'Triage', type: 'triage', color: '#fc7840' },
  { name: 'Backlog', type: 'backlog', color: '#bec2c8' },
  { name: 'Todo', type: 'unstarted', color: '#e2e2e2' },
  { name: 'In Progress', type: 'started', color: '#f2c94c' },
  { name: 'In Review', type: 'started', color: '#0f783c' },
  { name: 'Done', type: 'completed', color: '#5e6ad2' },
  { name: 'Canceled', type: 'canceled', color: '#95a2b3' },
  { name: 'Duplicate', type: 'duplicate', color: '#95a2b3' },
] as const;

/** Project statuses: two of type `started`, and one archived. */
export const seedProjectStatuses = [
  { name: 'Backlog', type: 'backlog', position: 0, color: '#bec2c8', archived: false },
  { name: 'Planned', type: 'planned', position: 1, color: '#e2e2e2', archived: false },
  { name: 'Rolling out', type: 'started', position: 3, color: '#26b5ce', archived: false },
  { name: 'In Progress', type: 'started', position: 2, color: '#f2c94c', archived: false },
  { name: 'Kick-off', type: 'started', position: 1.5, color: '#f2994a', archived: true },
  { name: 'Paused', type: 'paused', position: 4, color: '#95a2b3', archived: false },
  { name: 'Completed', type: 'completed', position: 5, color: '#5e6ad2', archived: false },
  { name: 'Canceled', type: 'canceled', position: 6, color: '#95a2b3', archived: false },
] as const;
