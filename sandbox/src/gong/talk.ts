import { customers } from '../company.js';
import { Random } from '../random.js';
import type { Voice } from '../stories.js';
import { parts } from '../topics.js';
import type { CallRow } from './rows.js';
import { colleagueExchanges, customerExchanges } from './seed/exchanges.js';

/** One stretch in which one party speaks. */
export interface Stretch {
  /** Whose it is, by place among the parties. */
  who: number;
  topic: string | null;
  sentences: readonly Sentence[];
}

/** One sentence, in milliseconds from the beginning of the call. */
export interface Sentence {
  start: number;
  end: number;
  text: string;
}

interface Line {
  who: number;
  topic: string | null;
  text: string;
}

// One request wants the same call told several times; all of them would take too much memory.
const told = new Map<CallRow, readonly Stretch[]>();
const mostTold = 100;

/** What was said in a call, by whom and when: the same whenever it is asked. */
export function talkOf(call: CallRow): readonly Stretch[] {
  const known = told.get(call);
  if (known) return known;
  const stretches = timed(call, linesOf(call));
  if (told.size >= mostTold) told.delete(told.keys().next().value!);
  told.set(call, stretches);
  return stretches;
}

/** Seconds from the beginning of a call, as everything but transcripts counts them. */
export function seconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}

function linesOf(call: CallRow): Line[] {
  const { occasion, parties, duration } = call;
  const random = new Random(call.seed);
  const speakers = parties.flatMap(({ speakerId }, place) => (speakerId === null ? [] : [place]));
  const own = speakers.filter((place) => parties[place]!.affiliation === 'Internal');
  const others = speakers.filter((place) => !own.includes(place));
  const guests = others.length > 0 ? others : own.slice(1);
  const host = own[0] ?? 0;
  const voices: Record<Voice, number> = { host, colleague: own[1] ?? host, guest: guests[0] ?? host };
  const exchanges = shuffled(random, others.length > 0 ? customerExchanges : colleagueExchanges);

  const lines: Line[] = [
    { who: host, topic: 'Call Setup', text: 'Hi, can you hear me?' },
    { who: voices.guest, topic: 'Call Setup', text: 'Loud and clear. Good to see you.' },
    { who: host, topic: 'Small Talk', text: openingOf(call) },
  ];
  for (const [voice, text] of occasion.story?.said ?? []) lines.push({ who: voices[voice], topic: 'Product', text });
  const wanted = Math.max(8, Math.floor(duration / 14));
  for (let turn = 0; lines.length < wanted - 2; turn += 1) {
    const pair = [random.pick(guests.length > 0 ? guests : [host]), random.pick(own.length > 0 ? own : [host])];
    for (const [place, text] of exchanges[turn % exchanges.length]!.entries()) {
      lines.push({ who: pair[place % 2]!, topic: topicOf(text), text: filled(random, text, call) });
    }
  }
  return [
    ...lines,
    { who: host, topic: 'Next Steps', text: nextStepOf(call) },
    { who: voices.guest, topic: 'Next Steps', text: 'Good. Thanks, talk soon.' },
  ];
}

/** What is to be done after the call. */
export function nextStepOf({ occasion }: CallRow): string {
  if (occasion.story) return `I will write down what we said about “${occasion.story.subject}” and send it to you.`;
  return occasion.customer
    ? 'I will send you the dates and the offer in writing.'
    : 'I will put it on the list for next week.';
}

function openingOf({ occasion }: CallRow): string {
  const { story, project, customer } = occasion;
  if (story) return `Let us begin with what brings us here: ${story.subject}.`;
  if (project) return `I would like to talk about ${project} today.`;
  return customer ? `So, how is everybody at ${customer}?` : 'How are you?';
}

function topicOf(text: string): string | null {
  if (/price|cost|budget|discount/i.test(text)) return 'Pricing';
  return /bank|part|export|click/i.test(text) ? 'Product' : null;
}

function filled(random: Random, text: string, { occasion }: CallRow): string {
  const gaps: Record<string, () => string> = {
    customer: () => occasion.customer ?? random.pick(customers),
    part: () => lowered(random.pick(parts[occasion.team] ?? parts.SUP!)),
    project: () => occasion.project ?? 'the next release',
    number: () => String(random.between(3, 60)),
    day: () => random.pick(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']),
  };
  return text.replaceAll(/\{(\w+)\}/g, (_, gap: string) => gaps[gap]!());
}

/** Spreads the lines over the call, and puts what one party says in a row together. */
function timed(call: CallRow, lines: readonly Line[]): Stretch[] {
  const random = new Random(call.seed ^ 0x3c41);
  const pace = (call.duration * 1000 - 2_000) / lines.length;
  const stretches: { who: number; topic: string | null; sentences: Sentence[] }[] = [];
  for (const [place, { who, topic, text }] of lines.entries()) {
    const parts = text.match(/[^.?!]+[.?!]+[”)]?|[^.?!]+$/g) ?? [text];
    const start = 1_000 + Math.floor((place + random.next() * 0.1) * pace);
    const length = Math.floor((pace * (0.5 + random.next() * 0.35)) / parts.length);
    const sentences = parts.map((part, index) => {
      const from = start + index * length;
      return { start: from, end: from + length - 40, text: part.trim() };
    });
    const last = stretches.at(-1);
    if (last?.who === who && last.topic === topic) last.sentences.push(...sentences);
    else stretches.push({ who, topic, sentences });
  }
  return stretches;
}

function shuffled<Item>(random: Random, list: readonly Item[]): Item[] {
  return list
    .map((item) => ({ item, order: random.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}

function lowered(name: string): string {
  return /^[A-Z]{2}/.test(name) ? name : name.charAt(0).toLowerCase() + name.slice(1);
}
