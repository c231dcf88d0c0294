import type { JsonSchema } from '../manifest/describe.js';

const text = { type: 'string' };
const list = (items: object) => ({ type: 'array', items });
const object = (properties: object): JsonSchema => ({ type: 'object', properties });

const inspection = { name: text, mode: text, entities: list({ type: 'object' }), warnings: list(text) };

/**
 * What the structured content of each tool looks like, in few words, since models read it with every request.
 *
 * Clients refuse a result that lacks it, so each has a `text` to fall back to.
 */
export const outputSchemas = {
  inspect: (isSingle: boolean): JsonSchema =>
    object({ ...(isSingle ? inspection : { connectors: list({ type: 'object' }) }), text }),
  docs: object({ metadata: { type: 'object' }, outline: list({ type: 'object' }), text }),
  execute: object({ notice: text, data: {}, meta: {}, hint: text, text, continue: text }),
};
