import type { Surface } from './surface.js';

/** Which of the lists that a client reads have changed. */
export interface Changes {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
}

/** Compares only what was announced: to a client, recreating a connector is not a change. */
export function changesBetween(before: Surface, after: Surface): Changes {
  const differs = (announced: (surface: Surface) => unknown) =>
    JSON.stringify(announced(before)) !== JSON.stringify(announced(after));
  return {
    tools: differs(({ tools }) => tools),
    prompts: differs(({ members, allowWrites }) => [members.map(({ key }) => key), allowWrites]),
    resources: differs(({ members }) => members.map(({ key, allowed }) => [key, allowed])),
  };
}
