import { company, contacts, customers, people } from '../../company.js';
import { projects } from '../../projects.js';
import type { Random } from '../../random.js';
import { teams } from '../../teams.js';
import { parts, troubles } from '../../topics.js';
import type { Meeting, Participant } from '../rows.js';

/** Note takers: Ines Carvalho sees all notes, Samuel Okafor some. */
const hosts = ['ines.carvalho', 'dana.whitfield', 'tomas.aguirre', 'samuel.okafor', 'grace.mbeki', 'elliot.park'];
const observer = 'ines.carvalho';
const companyFirstName = company.name.split(' ')[0]!;
const active = people.filter((person) => !person.left);
const live = projects.filter((project) => project.status !== 'Canceled');

/** Generates a meeting; its index determines the kind, so every kind occurs. */
export function meetingAt(random: Random, index: number): Meeting {
  if (index % 60 === 3) return planningDay(random);
  return kinds[index % kinds.length]!(random, index);
}

const kinds: ((random: Random, index: number) => Meeting)[] = [
  projectMeeting,
  oneToOne,
  customerCall,
  teamWeekly,
  projectMeeting,
  customerCall,
  incidentReview,
  adHoc,
];

const meetingDefaults: Omit<Meeting, 'title' | 'participants'> = {
  project: null,
  customer: null,
  team: 'ENG',
  isPrivate: false,
  folders: [],
  isAdHoc: false,
};

function projectMeeting(random: Random): Meeting {
  const project = random.pick(live);
  const occasions = ['kick-off', 'weekly sync', 'design review', 'go / no-go', 'planning', ...project.milestones];
  const members = teams.filter(({ key }) => project.teams.includes(key)).flatMap((team) => team.members);
  const lead = project.lead ?? 'grace.mbeki';
  return {
    ...meetingDefaults,
    title: `${project.name}: ${random.pick(occasions)}`,
    participants: participantsFor([lead, ...pickSome(random, members, 4)]),
    project: project.name,
    team: project.teams[0]!,
    folders: ['Roadmap'],
  };
}

function oneToOne(random: Random, index: number): Meeting {
  const other = random.pick(active.filter(({ key }) => key !== observer)).key;
  const pair = index % 16 === 1 ? [observer, other] : ['samuel.okafor', observer];
  const participants = participantsFor(pair);
  const title = participants.map(({ name }) => firstName(name)).join(' / ');
  return { ...meetingDefaults, title, participants, isPrivate: true, team: random.pick(teams).key };
}

function customerCall(random: Random): Meeting {
  const customer = random.pick(customers);
  const guests = contacts.filter((contact) => contact.customer === customer);
  const occasion = random.pick(['check-in', 'onboarding', 'renewal', 'bank feeds', 'month-end questions', 'demo 🎉']);
  const host = random.pick(['dana.whitfield', 'rahul.mehta', observer, 'grace.mbeki']);
  return {
    ...meetingDefaults,
    title: `${customer} <> ${companyFirstName}: ${occasion}`,
    participants: [
      ...participantsFor([host, 'chloe.nguyen']),
      ...guests.map(({ name, email }) => ({ key: null, name, email })),
    ],
    customer,
    project: random.chance(0.5) ? random.pick(live).name : null,
    team: 'SUP',
    folders: ['Customers', customer],
  };
}

function teamWeekly(random: Random, index: number): Meeting {
  const team = teams[Math.floor(index / kinds.length) % teams.length]!;
  return {
    ...meetingDefaults,
    title: `${team.name} weekly`,
    participants: participantsFor(pickSome(random, team.members, 6)),
    team: team.key,
    folders: ['Team weeklies'],
  };
}

function incidentReview(random: Random): Meeting {
  const part = random.pick(parts.ENG!);
  return {
    ...meetingDefaults,
    title: `Incident review: ${part} ${random.pick(troubles)}`,
    participants: participantsFor(['marek.dvorak', ...pickSome(random, teams[0]!.members, 3), 'chloe.nguyen']),
    customer: random.pick(customers),
    folders: ['Incidents 🔥'],
  };
}

function adHoc(random: Random, index: number): Meeting {
  const host = random.pick(hosts);
  const isAlone = index % 16 === 7;
  return {
    ...meetingDefaults,
    title: isAlone
      ? null
      : random.pick(['Quick call – 税务报表', 'Sur le pouce : l’éditeur de factures', 'Hallway chat']),
    participants: participantsFor(isAlone ? [host] : [host, random.pick(active).key]),
    team: random.pick(teams).key,
    isAdHoc: true,
  };
}

function planningDay(random: Random): Meeting {
  return {
    ...meetingDefaults,
    title: 'Quarterly planning, all teams',
    participants: participantsFor(['maren.holt', ...pickSome(random, hosts, 5), 'priya.raman', 'zoe.lindqvist']),
    project: random.pick(live).name,
    folders: ['Quarterly planning', 'Roadmap'],
  };
}

/** The current employees with these keys, without duplicates. */
function participantsFor(keys: readonly string[]): Participant[] {
  const presentKeys = [...new Set(keys)].map((key) => active.find((person) => person.key === key));
  return presentKeys.flatMap((person) => (person ? [{ key: person.key, name: person.name, email: person.email }] : []));
}

function pickSome(random: Random, keys: readonly string[], max: number): string[] {
  const first = random.between(0, keys.length - 1);
  return keys.map((_, step) => keys[(first + step) % keys.length]!).slice(0, max);
}

export function firstName(name: string): string {
  return name.split(' ').find((part) => !part.endsWith('.')) ?? name;
}
