import { createAgentTools } from 'agent-connectors/tools';
import { describe, expect, test } from 'vitest';
import { allConnectors } from '../mcp/setup.js';

const types = (await allConnectors()).map((connector) => connector.describe().name);

/** The sample call in a text, as a model would send it. */
const exampleIn = (text: string): string | undefined => /^Example: (.*)$/m.exec(text)?.[1];

/** Examples contain ids that exist in no account, which only the vendor can tell. */
const isFromVendor = (data: unknown) => typeof (data as { readonly status?: unknown }).status === 'number';

describe.each([...types, 'all five'])('the examples of %s', (offered) => {
  test('can be sent as they are, from the documentation and from errors', async () => {
    const all = await allConnectors();
    const connectors = all.filter((connector) => offered === 'all five' || connector.describe().name === offered);
    const [, docs, execute] = createAgentTools(connectors);
    let sent = 0;
    for (const connector of connectors) {
      const { name, entities } = connector.describe();
      const named = connectors.length > 1 ? { connector: name } : {};
      for (const { name: entity, actions } of entities) {
        for (const { name: action, hosted_only } of actions) {
          const where = `${entity}.${action}`;
          const section = await docs.run({ ...named, section: `actions.${where}` });
          const refused = await execute.run({ ...named, entity, action, params: { no_such_parameter: 1 } });
          expect(refused.isError, where).toBe(true);
          const example = exampleIn(refused.text);
          expect(exampleIn(section.text), where).toBe(example);
          // Without a service there is no search, and no example of one.
          expect(example === undefined, where).toBe(hosted_only);
          if (example === undefined) continue;
          const { isError, data, text } = await execute.run(example);
          expect(!isError || isFromVendor(data), text).toBe(true);
          sent++;
        }
      }
    }
    expect(sent).toBeGreaterThan(1);
  });
});
