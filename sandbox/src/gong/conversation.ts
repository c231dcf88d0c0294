import { customers } from '../company.js';
import { Random } from '../random.js';
import type { SpeakerRole } from '../stories.js';
import { parts } from '../topics.js';
import type { CallRow } from './rows.js';
import { colleagueExchanges, customerExchanges } from './seed/exchanges.js';

/** An uninterrupted turn of one party. */
export interface SpeakerTurn {
  /** Index among the parties. */
  partyIndex: number;
  topic: string | null;
  sentences: readonly Sentence[];
}

/** One sentence, in milliseconds from the start of the call. */
export interface Sentence {
  start: number;
  end: number;
  text: string;
}

interface DialogLine {
  partyIndex: number;
  topic: string | null;
  text: string;
}

// A request needs the same conversation several times, but caching all conversations would take too much memory.
const conversations = new Map<CallRow, readonly SpeakerTurn[]>();
const maxConversations = 100;

/** A call's conversation, generated deterministically. */
export function conversationOf(call: CallRow): readonly SpeakerTurn[] {
  const cached = conversations.get(call);
  if (cached) return cached;
  const turns = scheduleLines(call, dialogOf(call));
  if (conversations.size >= maxConversations) conversations.delete(conversations.keys().next().value!);
  conversations.set(call, turns);
  return turns;
}

/** Seconds from the start of a call, the unit everywhere except in transcripts. */
export function toSeconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}

function dialogOf(call: CallRow): DialogLine[] {
  const { occasion, parties, duration } = call;
  const random = new Random(call.seed);
  const speakers = parties.flatMap(({ speakerId }, place) => (speakerId === null ? [] : [place]));
  const own = speakers.filter((place) => parties[place]!.affiliation === 'Internal');
  const others = speakers.filter((place) => !own.includes(place));
  const guests = others.length > 0 ? others : own.slice(1);
  const host = own[0] ?? 0;
  const voices: Record<SpeakerRole, number> = { host, colleague: own[1] ?? host, guest: guests[0] ?? host };
  const exchanges = shuffle(random, others.length > 0 ? customerExchanges : colleagueExchanges);

  const lines: DialogLine[] = [
    { partyIndex: host, topic: 'Call Setup', text: 'Hi, can you hear me?' },
    { partyIndex: voices.guest, topic: 'Call Setup', text: 'Loud and clear. Good to see you.' },
    { partyIndex: host, topic: 'Small Talk', text: openingOf(call) },
  ];
  for (const [voice, text] of occasion.story?.dialog ?? [])
    lines.push({ partyIndex: voices[voice], topic: 'Product', text });
  const wanted = Math.max(8, Math.floor(duration / 14));
  for (let turn = 0; lines.length < wanted - 2; turn += 1) {
    const pair = [random.pick(guests.length > 0 ? guests : [host]), random.pick(own.length > 0 ? own : [host])];
    for (const [place, text] of exchanges[turn % exchanges.length]!.entries()) {
      lines.push({ partyIndex: pair[place % 2]!, topic: topicOf(text), text: fillTemplate(random, text, call) });
    }
  }
  return [
    ...lines,
    { partyIndex: host, topic: 'Next Steps', text: nextStepOf(call) },
    { partyIndex: voices.guest, topic: 'Next Steps', text: 'Good. Thanks, talk soon.' },
  ];
}

/** The next step after the call. */
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

function fillTemplate(random: Random, text: string, { occasion }: CallRow): string {
  const placeholders: Record<string, () => string> = {
    customer: () => occasion.customer ?? random.pick(customers),
    part: () => lowerFirst(random.pick(parts[occasion.team] ?? parts.SUP!)),
    project: () => occasion.project ?? 'the next release',
    number: () => String(random.between(3, 60)),
    day: () => random.pick(['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']),
  };
  return text.replaceAll(/\{(\w+)\}/g, (_, gap: string) => placeholders[gap]!());
}

/** Distributes the lines over the call and merges a party's consecutive lines. */
function scheduleLines(call: CallRow, lines: readonly DialogLine[]): SpeakerTurn[] {
  const random = new Random(call.seed ^ 0x3c41);
  const pace = (call.duration * 1000 - 2_000) / lines.length;
  const turns: { partyIndex: number; topic: string | null; sentences: Sentence[] }[] = [];
  for (const [lineIndex, { partyIndex, topic, text }] of lines.entries()) {
    const parts = text.match(/[^.?!]+[.?!]+[”)]?|[^.?!]+$/g) ?? [text];
    const start = 1_000 + Math.floor((lineIndex + random.next() * 0.1) * pace);
    const length = Math.floor((pace * (0.5 + random.next() * 0.35)) / parts.length);
    const sentences = parts.map((part, index) => {
      const from = start + index * length;
      return { start: from, end: from + length - 40, text: part.trim() };
    });
    const last = turns.at(-1);
    if (last?.partyIndex === partyIndex && last.topic === topic) last.sentences.push(...sentences);
    else turns.push({ partyIndex, topic, sentences });
  }
  return turns;
}

function shuffle<Item>(random: Random, list: readonly Item[]): Item[] {
  return list
    .map((item) => ({ item, order: random.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}

function lowerFirst(name: string): string {
  return /^[A-Z]{2}/.test(name) ? name : name.charAt(0).toLowerCase() + name.slice(1);
}
