import { company, customers } from '../../company.js';
import { projects } from '../../projects.js';
import type { Random } from '../../random.js';
import type { Story } from '../../stories.js';
import type { Occasion } from '../rows.js';

const companyFirstName = company.name.split(' ')[0]!;
const sellers = ['dana.whitfield', 'rahul.mehta'];
const supporters = ['chloe.nguyen', 'yusuf.demir'];
const makers = ['ines.carvalho', 'grace.mbeki', 'tomas.aguirre', 'samuel.okafor', 'jonas.weidemann', 'leila.haddad'];
const live = projects.filter(({ status, lead }) => status !== 'Canceled' && lead !== null);
const themes = ['check-in', 'onboarding', 'renewal', 'bank feeds', 'month-end questions', 'demo 🎉', 'pricing'];

/** Generates a call's subject; the index determines the kind, so that every kind occurs. */
export function occasionAt(random: Random, index: number): Occasion {
  if (index % 23 === 6) return oneToOne(random);
  if (index % 9 === 4) return phoneCall(random, index);
  if (index % 13 === 9) return internalReview(random);
  if (index % 31 === 10) return upload(random);
  return customerMeeting(random);
}

/** The meeting that belongs to a story. */
export function occasionOf(story: Story): Occasion {
  const { title, customer, project, host, colleague } = story;
  return {
    title,
    customer,
    project,
    team: story.issue.team,
    colleagues: [host, colleague],
    kind: 'meeting',
    story,
    purpose: story.subject,
  };
}

function customerMeeting(random: Random): Occasion {
  const customer = random.pick(customers);
  const theme = random.pick(themes);
  return {
    title: `${customer} <> ${companyFirstName}: ${theme}`,
    customer,
    team: 'SUP',
    kind: 'meeting',
    purpose: random.chance(0.3) ? theme : null,
    project: random.chance(0.5) ? random.pick(live).name : null,
    colleagues: [
      random.pick([...sellers, 'grace.mbeki', 'ines.carvalho']),
      random.pick([...supporters, ...makers, 'dana.whitfield']),
    ],
  };
}

function phoneCall(random: Random, index: number): Occasion {
  const customer = random.pick(customers);
  const title = index % 27 === 4 ? null : `Call with ${customer}`;
  const colleagues = [random.pick([...supporters, ...sellers])];
  return { title, customer, project: null, team: 'SUP', colleagues, kind: 'phone', purpose: null };
}

function internalReview(random: Random): Occasion {
  const project = random.pick(live);
  return {
    title: random.pick(['Pipeline review', 'Support weekly', `${project.name}: what customers say`]),
    customer: null,
    project: project.name,
    team: project.teams[0]!,
    kind: 'internal',
    purpose: null,
    colleagues: ['dana.whitfield', random.pick(supporters), 'rahul.mehta', random.pick(makers)],
  };
}

function oneToOne(random: Random): Occasion {
  return {
    title: '1:1 – feedback',
    customer: null,
    project: null,
    team: 'SUP',
    kind: 'internal',
    purpose: 'Coaching',
    colleagues: ['dana.whitfield', random.pick(['rahul.mehta', ...supporters])],
  };
}

function upload(random: Random): Occasion {
  const customer = random.pick(customers);
  return {
    title: `${customer}: recording from their side.mp3`,
    customer,
    project: null,
    team: 'SUP',
    colleagues: [random.pick(sellers)],
    kind: 'upload',
    purpose: null,
  };
}
