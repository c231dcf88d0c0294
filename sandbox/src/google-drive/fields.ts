import { apiErrors } from './errors.js';

/** The requested fields by name, each with its nested fields or `'all'`. */
export type Mask = Map<string, Mask | 'all'>;

/** A resource's fields as a mask; `*` represents user-defined names. */
export type Shape = Mask;

/** Parses a mask such as `a,b(c,d),e/f,*`, or throws Google's error. */
export function parseMask(text: string): Mask {
  let at = 0;
  const refuse = (): never => {
    throw apiErrors.badField(text);
  };
  const selection = (depth: number): Mask => {
    const mask: Mask = new Map();
    if (depth > 20) refuse();
    do {
      let inner = mask;
      for (;;) {
        const name = /^\s*([\w$-]+|\*)\s*/.exec(text.slice(at));
        if (!name) return refuse();
        at += name[0].length;
        const field = name[1]!;
        if (text[at] === '/') {
          at += 1;
          inner = subMaskOf(inner, field);
          continue;
        }
        if (text[at] === '(') {
          at += 1;
          merge(subMaskOf(inner, field), selection(depth + 1));
          if (text[at] !== ')') refuse();
          at += 1;
        } else {
          inner.set(field, 'all');
        }
        break;
      }
      while (text[at] === ' ') at += 1;
    } while (text[at] === ',' && ++at > 0);
    return mask;
  };
  const mask = selection(0);
  if (at < text.length) refuse();
  return mask;
}

/** The mask to which a nested field's own fields are added. */
function subMaskOf(mask: Mask, field: string): Mask {
  const existing = mask.get(field);
  if (existing === 'all') return new Map();
  const inner: Mask = existing ?? new Map();
  mask.set(field, inner);
  return inner;
}

function merge(into: Mask, from: Mask): void {
  for (const [name, inner] of from) {
    const existing = into.get(name);
    if (inner === 'all' || existing === 'all') into.set(name, 'all');
    else if (existing) merge(existing, inner);
    else into.set(name, inner);
  }
}

/** Rejects a mask with unknown fields. */
export function checkMask(mask: Mask, shape: Shape): void {
  const isFree = shape.has('*');
  for (const [name, inner] of mask) {
    if (name === '*') continue;
    const allowed = isFree ? 'all' : shape.get(name);
    if (allowed === undefined) throw apiErrors.badField(name);
    if (inner === 'all') continue;
    if (allowed === 'all') {
      const [first] = inner.keys();
      throw apiErrors.badField(first ?? name);
    }
    checkMask(inner, allowed);
  }
}

/** The masked part of a value, in the shape's order, with functions replaced by their results; missing fields stay missing. */
export function applyMask(value: unknown, mask: Mask | 'all', shape: Shape | 'all'): unknown {
  if (Array.isArray(value)) return value.map((one) => applyMask(one, mask, shape));
  if (shape === 'all' || typeof value !== 'object' || value === null) return value;
  const source = value as Record<string, unknown>;
  const isFree = shape.has('*');
  const names = isFree ? Object.keys(source) : shape.keys();
  const picked: Record<string, unknown> = {};
  for (const name of names) {
    const wanted = mask === 'all' ? 'all' : (mask.get(name) ?? mask.get('*'));
    if (wanted === undefined) continue;
    const field = source[name];
    const content = typeof field === 'function' ? field() : field;
    if (content === undefined) continue;
    picked[name] = applyMask(content, wanted, isFree ? 'all' : shape.get(name)!);
  }
  return picked;
}
