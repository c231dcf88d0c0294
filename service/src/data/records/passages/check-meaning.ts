import { FilterCheck } from '../check-filter.js';
import { bothKinds, fieldsOf, isWhole, onlyNames, wholeNumber } from '../check-search.js';
import type { Faults } from '../faults.js';
import type { Condition } from '../plan.js';
import type { Column, Layout } from '../schema.js';
import { isObject } from '../values.js';
import type { Ranker } from './types.js';

const rankers = ['dense', 'lexical', 'hybrid'] as const satisfies readonly Ranker[];
const dedups = ['max', 'none'] as const;
const defaultLimit = 10;
const highestLimit = 100;
const widestContext = 2048;

/** A search by meaning after it has been checked. */
export interface MeaningPlan {
  readonly column: Column;
  readonly prompt: string;
  readonly condition: Condition | undefined;
  /** Code points of context. */
  readonly contextSize: number;
  /** Whether a record may come more than once. */
  readonly repeated: boolean;
  /** The ranker that was asked for, if any was. */
  readonly mode: Ranker | undefined;
  readonly limit: number;
}

/** Checks the parameters of a search by meaning; every fault goes into one error, each with its path. */
export function checkMeaning(params: unknown, layout: Layout, faults: Faults): MeaningPlan {
  const plan = planOf(params, layout, faults);
  faults.settle(layout);
  return plan!;
}

function planOf(params: unknown, layout: Layout, faults: Faults): MeaningPlan | undefined {
  if (!isObject(params)) return faults.add('', 'the parameters must be an object');
  if (params.query !== undefined && params.semantic !== undefined) return faults.add('', bothKinds);
  const { semantic, fields, limit = defaultLimit, cursor, ...unknown } = params;
  if (cursor !== undefined) faults.add('cursor', 'goes with query alone: a search by meaning has one page');
  onlyNames(unknown, ['semantic', 'fields', 'limit'], '', faults);
  if (!isObject(semantic)) {
    const whole = '{"prompt": "what to look for"}';
    return faults.add('semantic', semantic === undefined ? `is required: ${whole}` : `must be an object: ${whole}`);
  }
  const { sort, ...meant } = semantic;
  if (sort !== undefined) faults.add('semantic.sort', 'is not possible: hits come in the order of their likeness');
  onlyNames(meant, ['field', 'prompt', 'filter', 'context_size', 'dedup', 'mode'], 'semantic.', faults);
  const column = columnOf(meant.field, layout, faults);
  const { prompt, context_size: contextSize = widestContext, dedup = 'max', mode } = meant;
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    faults.add('semantic.prompt', prompt === undefined ? 'is required (string)' : 'must be a string that is not empty');
  }
  const check = new FilterCheck(layout, faults, 'semantic.filter');
  const condition = check.filter(meant.filter);
  if (!isWhole(contextSize, widestContext)) faults.add('semantic.context_size', wholeNumber(widestContext));
  if (!dedups.includes(dedup as 'max')) faults.add('semantic.dedup', oneOf(dedups));
  if (mode !== undefined && !rankers.includes(mode as Ranker)) faults.add('semantic.mode', oneOf(rankers));
  fieldsOf(fields, check, faults);
  if (!isWhole(limit, highestLimit)) return faults.add('limit', wholeNumber(highestLimit));
  return {
    column: column!,
    prompt: prompt as string,
    condition,
    contextSize: contextSize as number,
    repeated: dedup === 'none',
    mode: mode as Ranker | undefined,
    limit,
  };
}

const oneOf = (values: readonly string[]): string => `must be one of ${values.map((value) => `"${value}"`).join(', ')}`;

function columnOf(field: unknown, { semantic }: Layout, faults: Faults): Column | undefined {
  const names = semantic.map((column) => column.field);
  if (names.length === 0) return faults.add('semantic', 'is not possible: this entity is searched by query alone');
  if (field === undefined && names.length === 1) return semantic[0];
  if (field === undefined) return faults.add('semantic.field', `is required: ${oneOf(names).replace('must be ', '')}`);
  const column = semantic.find((one) => one.field === field);
  return column ?? faults.add('semantic.field', oneOf(names));
}
