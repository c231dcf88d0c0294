import type { Surface } from './surface.js';

/** Which of the lists that a client has read differ. */
export interface Changes {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
}

/** Compares what is announced: a connector that was only made anew is no change to a client. */
export function changesBetween(before: Surface, after: Surface): Changes {
  const differs = (announced: (surface: Surface) => unknown) =>
    JSON.stringify(announced(before)) !== JSON.stringify(announced(after));
  return {
    tools: differs(({ tools }) => tools),
    prompts: differs(({ members, allowWrites }) => [members.map(({ key }) => key), allowWrites]),
    resources: differs(({ members }) => members.map(({ key, allowed }) => [key, allowed])),
  };
}
