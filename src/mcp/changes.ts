import type { Surface } from './surface.js';

/** Finds the lists read by a client that have changed. */
export interface Changes {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
}

/** Compares what was announced: to a client, recreating a connector is not a change. */
export function changesBetween(before: Surface, after: Surface): Changes {
  const differs = (announced: (surface: Surface) => unknown) =>
    JSON.stringify(announced(before)) !== JSON.stringify(announced(after));
  return {
    tools: differs(({ tools }) => tools),
    prompts: differs(({ members, allowWrites }) => [members.map(({ key }) => key), allowWrites]),
    resources: differs(({ members }) => members.map(({ key, allowed }) => [key, allowed])),
  };
}
