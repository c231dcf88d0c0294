import { isObject } from '../../action/params.js';
import { nearest } from '../../errors/nearest.js';
import { type FieldType, maxListed, type Searchable } from './fields.js';

type Entries = ReadonlyArray<readonly [name: string, value: unknown]>;

/** What to specify instead of an object: a known path into it, or a search that shows its fields. */
export function innerFieldAdvice(
  field: string,
  { innerPath }: Searchable,
  show: (path: string) => string | undefined = (path) => `"${path}"`,
): string {
  const path = innerPath(field);
  const shown = path && show(path);
  if (shown) return `Specify an inner field: ${shown}`;
  const search = { query: { filter: { neq: { [field]: null } } }, fields: [field], limit: 1 };
  return `Specify an inner field; to see them, search with ${JSON.stringify(search)}`;
}

/** The condition on array elements that was meant by a condition on the array or on a path into it. */
function elementCondition(operator: string, path: string, value: unknown): object | undefined {
  const [array = '', ...inner] = path.split('.').filter((name) => !/^\d+$/.test(name));
  const part = (leaf: unknown) => inner.reduceRight<unknown>((below, name) => ({ [name]: below }), leaf);
  if (operator === 'eq' || operator === 'contains') return { contains: { [array]: part(value) } };
  if (operator === 'neq') return { not: { contains: { [array]: part(value) } } };
  if ((operator === 'in' || operator === 'any') && Array.isArray(value)) return { any: { [array]: value.map(part) } };
  return undefined;
}

/** The error for a condition that treats an object or array as a plain value, with the intended condition. */
export function structureFault(
  operator: string,
  path: string,
  value: unknown,
  type: FieldType,
  fields: Searchable,
): string | undefined {
  if (type === 'object') {
    const show = (inner: string) => shortJson({ [operator]: { [inner]: value } });
    return isObject(value) ? undefined : `is an object. ${innerFieldAdvice(path, fields, show)}`;
  }
  if (type !== 'array' && type !== 'element') return undefined;
  const subject = type === 'array' ? 'is an array' : 'leads into an array';
  const condition = elementCondition(operator, path, value);
  const meant = condition && shortJson(condition);
  if (meant !== undefined) return `${subject}. Search its elements: ${meant}`;
  return type === 'element'
    ? `${subject}, so it can be searched only with contains and any, which match whole values`
    : undefined;
}

/** The intended filter, as JSON, when the field was written before the operator; undefined if that is not clear. */
export function correctedFilter(
  entries: Entries,
  fields: Searchable,
  operators: readonly string[],
  isValid: (filter: object) => boolean,
): string | undefined {
  const { typeAt, innerPath } = fields;
  const corrected: Record<string, unknown> = {};
  const put = (operator: string, path: string, value: unknown): true => {
    const type = typeAt(path);
    const plain = (type === 'object' && !isObject(value) && value !== null && innerPath(path)) || path;
    const condition = (type === 'element' && elementCondition(operator, path, value)) || {
      [operator]: { [plain]: value },
    };
    for (const [name, operand] of Object.entries(condition))
      corrected[name] = name === 'not' ? operand : { ...(corrected[name] as object), ...operand };
    return true;
  };
  const read = (path: string, value: unknown, depth: number): boolean => {
    const type = typeAt(path);
    if (type === undefined || depth > 4) return false;
    if (Array.isArray(value)) return put(type === 'array' ? 'any' : 'in', path, value);
    if (!isObject(value)) return put(type === 'array' ? 'contains' : 'eq', path, value);
    const conditions = Object.entries(value);
    return (
      conditions.length > 0 &&
      conditions.length <= maxListed &&
      conditions.every(([name, operand]) => {
        if (!operators.includes(name) && read(`${path}.${name}`, operand, depth + 1)) return true;
        const operator = nearest(name, operators);
        // For other types, "contains" searches text.
        return operator === 'contains' && type === 'string' && typeof operand === 'string'
          ? put('like', path, `%${operand.replaceAll(/[\\%_]/g, '\\$&')}%`)
          : operator !== undefined && put(operator, path, operand);
      })
    );
  };
  const clear =
    entries.length <= maxListed &&
    entries.every(([name, value]) => {
      if (typeAt(name.split('.')[0]!) !== undefined && !operators.includes(name)) return read(name, value, 0);
      if (['not', 'and', 'or'].includes(name)) corrected[name] = value;
      else if (!operators.includes(name) || !isObject(value)) return false;
      else corrected[name] = { ...(corrected[name] as object), ...value };
      return true;
    });
  return clear && isValid(corrected) ? shortJson(corrected) : undefined;
}

/** A value as JSON, if it is valid and not too long. */
function shortJson(value: unknown): string | undefined {
  try {
    const json = JSON.stringify(value);
    return json.length <= 400 ? json : undefined;
  } catch {
    return undefined;
  }
}
