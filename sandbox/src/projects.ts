/** A company project, the same in every vendor. */
export interface CompanyProject {
  name: string;
  description: string;
  status: string;
  /** Team keys. */
  teams: string[];
  lead: string | null;
  milestones: string[];
  content?: string;
}

/** The company's projects. */
export const projects: readonly CompanyProject[] = [
  {
    name: 'Ledger core rewrite',
    description: 'Move postings to an append-only journal so that balances can be rebuilt for any day.',
    status: 'In Progress',
    teams: ['ENG'],
    lead: 'priya.raman',
    milestones: ['Journal behind a flag', 'Dual writing', 'Old tables gone'],
    content: `## Why\n\nBalances drift when two workers post to the same account. See the incident of March.\n\n## Plan\n\n1. Journal table, partitioned by month\n2. Dual writing for four weeks\n3. Switch reads, then drop the old tables\n\n| Phase | Owner | Risk |\n|---|---|---|\n| Dual writing | Priya | write volume ×2 |\n| Switch | Jonas | reports read stale rows |\n`,
  },
  {
    name: 'Bank feeds 2.0',
    description: 'Direct connections to twelve more banks, with retries that do not book twice.',
    status: 'Rolling out',
    teams: ['ENG', 'SUP'],
    lead: 'samuel.okafor',
    milestones: ['Pilot with Calder & Sons', 'General availability'],
  },
  {
    name: 'Receipt scanner',
    description: 'Take a photo, get a booking proposal.',
    status: 'In Progress',
    teams: ['MOB', 'ENG'],
    lead: 'zoe.lindqvist',
    milestones: ['On-device crop', 'Line items'],
  },
  {
    name: 'Invoice designer',
    description: 'Customers lay out their own invoices, with logo, columns and languages.',
    status: 'Planned',
    teams: ['DES', 'ENG'],
    lead: 'elliot.park',
    milestones: ['Clickable prototype'],
  },
  {
    name: 'Single sign-on for everyone',
    description: 'SAML and OIDC on every plan, not only Enterprise.',
    status: 'Completed',
    teams: ['ENG'],
    lead: 'jonas.weidemann',
    milestones: ['OIDC', 'SAML', 'Directory sync'],
  },
  {
    name: 'Onboarding, second try',
    description: 'From sign-up to the first reconciled month in under fifteen minutes ✨',
    status: 'In Progress',
    teams: ['DES', 'SUP'],
    lead: 'ines.carvalho',
    milestones: ['Import wizard', 'Sample data'],
  },
  {
    name: 'Offline mode',
    description: '',
    status: 'Paused',
    teams: ['MOB'],
    lead: 'connor.byrne',
    milestones: [],
  },
  {
    name: 'VAT for the Nordics',
    description: 'Momsdeklaration for Sweden, Norway and Denmark: Å, Ä, Ö and Ø included.',
    status: 'Planned',
    teams: ['ENG', 'DES'],
    lead: 'grace.mbeki',
    milestones: ['Sweden', 'Norway', 'Denmark'],
  },
  {
    name: 'Self-service data export',
    description: 'Everything a customer owns, as CSV and JSON, without a ticket.',
    status: 'Completed',
    teams: ['ENG', 'SUP'],
    lead: 'leila.haddad',
    milestones: ['CSV', 'JSON'],
  },
  {
    name: 'Move to the Frankfurt region',
    description: 'All European customers on servers in Frankfurt before the contract in Dublin ends.',
    status: 'Rolling out',
    teams: ['ENG'],
    lead: 'marek.dvorak',
    milestones: ['Replica', 'Cut-over'],
  },
  {
    name: 'Help centre search',
    description: 'Answers before tickets.',
    status: 'Backlog',
    teams: ['SUP'],
    lead: null,
    milestones: [],
  },
  {
    name: 'Dark mode',
    description: 'Requested 143 times 🌙',
    status: 'Backlog',
    teams: ['DES', 'MOB'],
    lead: 'noemie.laurent',
    milestones: [],
  },
  {
    name: 'Payroll partner integration',
    description: 'Post salaries straight from the payroll partner’s file.',
    status: 'Canceled',
    teams: ['ENG'],
    lead: 'victor.sandoval',
    milestones: [],
  },
  {
    name: 'Accessibility audit follow-up',
    description: 'The 38 findings of the audit, by severity.',
    status: 'In Progress',
    teams: ['DES', 'MOB', 'ENG'],
    lead: 'noemie.laurent',
    milestones: ['Level A', 'Level AA'],
  },
  {
    name: '中国市场调研',
    description: '电子发票与税务申报的前期调研。',
    status: 'Backlog',
    teams: ['ENG', 'SUP'],
    lead: 'meiling.li',
    milestones: [],
  },
];
