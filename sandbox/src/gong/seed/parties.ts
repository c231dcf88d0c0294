import { contacts } from '../../company.js';
import type { Random } from '../../random.js';
import type { Occasion, PartyRow, UserRow } from '../rows.js';
import { idFrom } from './ids.js';

const roles = ['Head of Finance', 'Controller', 'Managing Director', 'Bookkeeper'];

/** Participants of a call: employees, starting with the host, and the customer's contacts. */
export function partiesOf(random: Random, occasion: Occasion, users: readonly UserRow[]): PartyRow[] {
  const own = [...new Set(occasion.colleagues)].map((key) => users.find((user) => user.key === key)!);
  const guests = contacts.filter(({ customer }) => customer === occasion.customer);
  const isPhone = occasion.kind === 'phone';
  const parties = own.map((user): PartyRow => {
    const { id: userId, name, email, title, phone } = user;
    return { ...unknownParty(random, occasion), userId, name, email, title, phone, affiliation: 'Internal' };
  });
  for (const [index, { name, email, customer }] of guests.entries()) {
    if (isPhone && index > 0) break;
    const isListening = index > 0 && !occasion.story && random.chance(0.3);
    const party = unknownParty(random, occasion);
    parties.push({
      ...party,
      name,
      email,
      affiliation: 'External',
      title: index === 0 ? roles[customer.length % roles.length]! : null,
      phone: isPhone ? `+44 20 7946 0${String(random.between(100, 999))}` : null,
      speakerId: isListening ? null : party.speakerId,
    });
  }
  if (occasion.kind === 'upload' || (!occasion.story && random.chance(0.06))) {
    // A person whom Gong could not identify.
    parties.push({ ...unknownParty(random, occasion), methods: ['Attendee'] });
  }
  return parties;
}

function unknownParty(random: Random, { kind }: Occasion): PartyRow {
  const isInvited = kind === 'meeting' || kind === 'internal';
  return {
    id: idFrom(random),
    speakerId: idFrom(random),
    userId: null,
    name: null,
    email: null,
    title: null,
    phone: null,
    affiliation: 'Unknown',
    methods: isInvited ? ['Invitee', 'Attendee'] : ['Attendee'],
  };
}
