import type { Condition } from './plan.js';
import { isObject } from './schema.js';

/** The most that the conditions of one filter may cost together; comparing a field costs 1. */
const maxFilterCost = 2000;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** How many values an element is compared with. */
const partsIn = (value: unknown): number => (isObject(value) ? 1 + sum(Object.values(value).map(partsIn)) : 1);

/** About how many times as long as a comparison a condition takes for each record. */
export function costOf(condition: Condition): number {
  switch (condition.test) {
    case 'all':
    case 'some':
      return condition.parts.reduce((sum, part) => sum + costOf(part), 0);
    case 'not':
      return costOf(condition.part);
    case 'among':
      return 1 + Math.floor(condition.values.length / 100);
    case 'holds':
      return 2 + Math.floor(sum(condition.values.map(partsIn)) / 5);
    case 'like':
      // A text that repeats itself is compared with the whole pattern at every place.
      return 10 + condition.pattern.reduce((sum, part) => sum + ('literal' in part ? part.literal.length : 1), 0);
    case 'keyword':
      return 10 + condition.words.length;
    case 'fuzzy':
      // Each word is compared with all words that the field contains.
      return 20 + 10 * condition.words.length;
    default:
      return 1;
  }
}

/** Adds up what the conditions of a filter cost, by their operators. */
export class FilterCost {
  readonly #byOperator = new Map<string, { readonly conditions: number; readonly cost: number }>();

  add(operator: string, condition: Condition): void {
    const { conditions, cost } = this.#byOperator.get(operator) ?? { conditions: 0, cost: 0 };
    this.#byOperator.set(operator, { conditions: conditions + 1, cost: cost + costOf(condition) });
  }

  /** Says what costs most, where all of it is more than one search may cost. */
  fault(): string | undefined {
    const operators = [...this.#byOperator].sort(([, one], [, other]) => other.cost - one.cost);
    const total = operators.reduce((sum, [, { cost }]) => sum + cost, 0);
    if (total <= maxFilterCost) return undefined;
    const [name, { conditions, cost }] = operators[0]!;
    return `costs ${total}, more than ${maxFilterCost}: ${conditions} ${name} ${conditions === 1 ? 'condition costs' : 'conditions cost'} ${cost}; use fewer or shorter ones`;
  }
}
