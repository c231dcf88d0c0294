import type { Random } from '../../random.js';
import type { QuestionRow, ScorecardRow, TrackerRow, UserRow, WorkspaceRow } from '../rows.js';
import { idFrom, randomFor } from './ids.js';

const day = 86_400_000;

type Question = Omit<QuestionRow, 'id' | 'revisionId' | 'options'> & { options?: readonly string[] };

const overall: Question = { text: 'How was the call overall?', isOverall: true, type: 'RANGE', guide: null };

const scorecardSpecs: readonly {
  name: string;
  reviewMethod: ScorecardRow['reviewMethod'];
  questions: readonly Question[];
}[] = [
  {
    name: 'Discovery call',
    reviewMethod: 'MANUAL',
    questions: [
      overall,
      {
        text: 'Did we ask what the month-end looks like today?',
        isOverall: false,
        type: 'RANGE',
        guide: '<p><b>1</b> no question at all<br><b>5</b> dates, people and numbers</p>',
      },
      { text: 'Was a next step agreed?', isOverall: false, type: 'BOOLEAN', guide: '' },
      { text: 'What should be different next time?', isOverall: false, type: 'OPEN', guide: null },
    ],
  },
  {
    name: 'Support call',
    reviewMethod: 'MANUAL',
    questions: [
      overall,
      {
        text: 'How was the problem left?',
        isOverall: false,
        type: 'SINGLE_SELECT',
        guide: '',
        options: ['Solved', 'Handed over', 'Open'],
      },
    ],
  },
  {
    name: 'Customer’s next steps',
    reviewMethod: 'AUTOMATIC',
    questions: [
      { ...overall, guide: '<p>Read by a machine.</p>' },
      { text: 'Did the customer name a date?', isOverall: false, type: 'BOOLEAN', guide: null },
    ],
  },
];

/** Scorecards; the last one is built in and belongs to the second workspace. */
export function seedScorecards(
  seed: number,
  start: number,
  users: readonly UserRow[],
  workspaces: readonly WorkspaceRow[],
): ScorecardRow[] {
  return scorecardSpecs.map(({ name, reviewMethod, questions }, index) => {
    const random = randomFor(seed, 'scorecard', index);
    return {
      id: idFrom(random),
      name,
      reviewMethod,
      enabled: index !== 1,
      updaterId: index === 2 ? null : users[1]!.id,
      workspaceId: workspaces[index === 2 ? 1 : 0]!.id,
      created: start - (300 - index * 40) * day + index * 12_345,
      updated: start - (90 - index * 20) * day + index * 54_321,
      questions: questions.map((question) => questionOf(random, question)),
    };
  });
}

function questionOf(random: Random, question: Question): QuestionRow {
  return { options: [], ...question, id: idFrom(random), revisionId: idFrom(random) };
}

const trackerSpecs: readonly (readonly [string, readonly string[], Partial<TrackerRow>])[] = [
  ['Bank feeds', ['bank feed', 'bank line', 'bank answers late'], { affiliation: 'NonCompany' }],
  ['Pricing', ['price', 'discount', 'budget'], { saidAt: 'Last', saidAtInterval: 10 }],
  ['Design documents', ['design', 'requirements', 'plan'], { saidInTopics: ['Next Steps'] }],
  ['Competitors', ['LedgerLeaf', 'BookBarn'], {}],
  ['Urgency', ['audit', 'deadline', 'end of the quarter'], { saidAt: 'First', saidAtInterval: 5 }],
  ['Small talk', [], { creatorId: null, workspaceId: null }],
];

/** Trackers; the last one is built in and has no keywords. */
export function seedTrackers(
  seed: number,
  start: number,
  users: readonly UserRow[],
  workspaces: readonly WorkspaceRow[],
): TrackerRow[] {
  return trackerSpecs.map(([name, keywords, more], index) => {
    const random = randomFor(seed, 'tracker', index);
    return {
      id: idFrom(random),
      name,
      keywords,
      affiliation: 'Anyone',
      saidAt: 'Anytime',
      saidAtInterval: null,
      saidInTopics: [],
      workspaceId: workspaces[index % 2]!.id,
      creatorId: users[1 + (index % 2)]!.id,
      created: start - (400 - index * 20) * day + random.between(0, day),
      updated: start - (100 - index * 10) * day + random.between(0, day),
      ...more,
    };
  });
}
