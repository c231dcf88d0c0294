import fc from 'fast-check';

/** One change to one node of a JSON body. */
export interface Mutation {
  /** Index of the node, modulo the number of nodes. */
  readonly at: number;
  readonly kind: 'drop' | 'null' | 'wrap' | 'rename' | 'retype' | 'add' | 'page';
  /** Source of the new value if the type changes. */
  readonly value: unknown;
}

/** Changes that vendors have made to their responses, or might make. */
export const mutations: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(100_000),
  kind: fc.constantFrom(
    ...(['drop', 'drop', 'null', 'null', 'null', 'wrap', 'rename', 'retype', 'retype', 'retype', 'add'] as const),
    'page' as const,
  ),
  value: fc.constantFrom<unknown>(0, 17, -1.5, '', 'text', '17', true, false, [], {}, [null], [[]], [{}], { a: null }),
});

/** A proxy's page instead of the body. */
const page = '<!doctype html><html><head><title>Sign in</title></head><body>Sign in</body></html>';

/** The body with the change made; a body that is not JSON can only be replaced as a whole. */
export function mutated(text: string, { at, kind, value }: Mutation): string {
  if (kind === 'page') return page;
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch {
    return kind === 'null' ? '' : text;
  }
  const left = { count: at % countNodes(tree) };
  const change = (node: unknown): unknown => {
    if (kind === 'null') return null;
    if (kind === 'wrap') return at % 2 === 0 ? [node] : { value: node };
    if (kind === 'retype') return value;
    return typeof node === 'object' && node !== null && !Array.isArray(node) ? { ...node, addedLater: value } : node;
  };
  const walk = (node: unknown): unknown => {
    if (left.count-- === 0) return change(node);
    if (typeof node !== 'object' || node === null) return node;
    const entries = Object.entries(node).flatMap(([name, item]): Array<[string, unknown]> => {
      const isHere = left.count === 0;
      const next = walk(item);
      if (isHere && kind === 'drop') return [];
      return [[isHere && kind === 'rename' ? `${name}Renamed` : name, next]];
    });
    return Array.isArray(node) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
  };
  return JSON.stringify(walk(tree));
}

function countNodes(tree: unknown): number {
  if (typeof tree !== 'object' || tree === null) return 1;
  return Object.values(tree).reduce((sum: number, item) => sum + countNodes(item), 1);
}
