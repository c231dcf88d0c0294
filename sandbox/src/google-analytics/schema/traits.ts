/** User attributes that Google infers or the company knows, derived from a number below 10,000. */
type Trait = (trait: number) => string;

const brackets = ['18-24', '25-34', '35-44', '45-54', '55-64', '65+'];
const topics = ['Business Services', 'Software', 'News', 'Travel', 'Sports'];

/** Age, unknown for most. */
export const ages: Trait = (trait) => (trait % 10 < 6 ? 'unknown' : brackets[trait % 6]!);

/** Gender, unknown for most. */
export const genders: Trait = (trait) => (trait % 11 < 6 ? 'unknown' : trait % 2 === 0 ? 'female' : 'male');

/** Inferred interests. */
export const interests: Trait = (trait) => (trait % 7 < 4 ? '(not set)' : topics[trait % 5]!);

/** A customer's plan. */
export const plans: Trait = (trait) => (trait % 13 < 7 ? '(not set)' : ['free', 'team', 'enterprise'][trait % 3]!);

/** A user's audience. */
export function audiences(trait: number): { name: string; id: string } {
  return trait % 9 < 7 ? { name: 'All Users', id: '3202000011' } : { name: 'Has signed up', id: '3202000012' };
}
