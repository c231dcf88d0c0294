/** A team as the seed describes it. */
export interface SeedTeam {
  key: string;
  name: string;
  description: string | null;
  timezone: string;
  color: string;
  icon: string;
  members: string[];
  /** How large a share of the issues the team has. */
  share: number;
}

/** The teams of the company. */
export const seedTeams: readonly SeedTeam[] = [
  {
    key: 'ENG',
    name: 'Engineering',
    description: 'API, ledger core and infrastructure',
    timezone: 'Europe/Berlin',
    color: '#4f6bed',
    icon: 'Terminal',
    members: ['tomas.aguirre', 'priya.raman', 'jonas.weidemann', 'aiko.tanabe', 'samuel.okafor', 'marek.dvorak'].concat(
      ['leila.haddad', 'meiling.li', 'victor.sandoval', 'ines.carvalho'],
    ),
    share: 0.46,
  },
  {
    key: 'MOB',
    name: 'Mobile',
    description: 'Apps for iOS and Android 📱',
    timezone: 'Europe/Stockholm',
    color: '#26b5ce',
    icon: 'Phone',
    members: ['zoe.lindqvist', 'connor.byrne', 'grace.mbeki', 'meiling.li', 'elliot.park'],
    share: 0.22,
  },
  {
    key: 'DES',
    name: 'Design',
    description: null,
    timezone: 'Europe/Paris',
    color: '#f2994a',
    icon: 'Art',
    members: ['elliot.park', 'noemie.laurent', 'ines.carvalho', 'grace.mbeki'],
    share: 0.12,
  },
  {
    key: 'SUP',
    name: 'Customer Support',
    description: 'What customers tell us, until it is somebody else’s issue',
    timezone: 'America/New_York',
    color: '#5e6ad2',
    icon: 'Chat',
    members: ['dana.whitfield', 'rahul.mehta', 'chloe.nguyen', 'yusuf.demir', 'hannah.kessler', 'maren.holt'],
    share: 0.2,
  },
];

/** Every team's workflow, from left to right. */
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

/** The workspace's project statuses: two of type `started`, and one archived. */
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
