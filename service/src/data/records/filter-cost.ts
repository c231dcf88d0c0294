import type { Condition } from './plan.js';
import { isObject } from './schema.js';

/** Maximum total cost of a filter; one comparison costs 1. */
const maxFilterCost = 2000;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Number of values to compare when matching an element. */
const partsIn = (value: unknown): number => (isObject(value) ? 1 + sum(Object.values(value).map(partsIn)) : 1);

/** Approximate cost of a condition per record, relative to a comparison. */
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
      // A repetitive text can be compared with the whole pattern at every position.
      return 10 + condition.pattern.reduce((sum, part) => sum + ('literal' in part ? part.literal.length : 1), 0);
    case 'keyword':
      return 10 + condition.wanted.length;
    case 'fuzzy':
      // Each word is compared with every word of the field.
      return 20 + 10 * condition.words.length;
    default:
      return 1;
  }
}

/** Totals the cost of a filter's conditions by operator. */
export class FilterCost {
  readonly #byOperator = new Map<string, { readonly conditions: number; readonly cost: number }>();

  add(operator: string, condition: Condition): void {
    const { conditions, cost } = this.#byOperator.get(operator) ?? { conditions: 0, cost: 0 };
    this.#byOperator.set(operator, { conditions: conditions + 1, cost: cost + costOf(condition) });
  }

  /** Names the most expensive operators if the total exceeds the limit. */
  fault(): string | undefined {
    const operators = [...this.#byOperator].sort(([, one], [, other]) => other.cost - one.cost);
    const total = operators.reduce((sum, [, { cost }]) => sum + cost, 0);
    if (total <= maxFilterCost) return undefined;
    const [name, { conditions, cost }] = operators[0]!;
    return `costs ${total}, which exceeds the limit of ${maxFilterCost}: ${conditions} ${name} ${conditions === 1 ? 'condition costs' : 'conditions cost'} ${cost}; use fewer or shorter ones`;
  }
}
