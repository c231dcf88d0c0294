import { ConnectorError, type Source } from '../../../src/authoring.js';
import type { Listed } from './calls.js';
import type { Node } from './walk.js';

/** A connection below a record, as Linear sends it. */
interface Connection {
  readonly nodes: readonly { readonly id: string }[];
  readonly pageInfo?: { readonly hasNextPage: boolean; readonly endCursor: string | null } | undefined;
}

/** The records with all nodes of their nested connections, where a page had only the first. */
export async function completed(source: Source, listed: Listed, nodes: readonly Node[]): Promise<Node[]> {
  const whole: Node[] = [];
  for (const node of nodes) {
    const connections: Record<string, Connection> = {};
    for (const field of Object.keys(listed.nested ?? {})) {
      const first = (node[field] ?? { nodes: [] }) as Connection;
      connections[field] = {
        nodes: [...first.nodes, ...(await rest(source, `${listed.list}.${field}`, node.id, first))],
      };
    }
    whole.push({ ...node, ...connections });
  }
  return whole;
}

async function rest(source: Source, call: string, id: string, { pageInfo }: Connection) {
  const found: { readonly id: string }[] = [];
  for (let at = pageInfo; at?.hasNextPage && at.endCursor; ) {
    const after = at.endCursor;
    try {
      const { data, meta } = await source.call(call, { id, after });
      found.push(...data);
      at = meta.endCursor === after ? undefined : meta;
    } catch (error) {
      // Deleted in between: the next sweep takes the record away.
      if (ConnectorError.is(error) && error.code === 'not_found') return found;
      throw error;
    }
  }
  return found;
}
