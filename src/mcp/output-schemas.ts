import type { JsonSchema } from '../manifest/describe.js';

const text = { type: 'string' };
const list = (items: object) => ({ type: 'array', items });
const object = (properties: object): JsonSchema => ({ type: 'object', properties });

const inspection = { name: text, mode: text, entities: list({ type: 'object' }), warnings: list(text) };

/**
 * Schemas of each tool's structured content, kept short since models read them with every request.
 *
 * Clients reject a result without structured content, so each has `text` as a fallback.
 */
export const outputSchemas = {
  inspect: (isSingle: boolean): JsonSchema =>
    object({ ...(isSingle ? inspection : { connectors: list({ type: 'object' }) }), text }),
  docs: object({ metadata: { type: 'object' }, outline: list({ type: 'object' }), text }),
  execute: object({ notice: text, data: {}, meta: {}, hint: text, text, continue: text }),
};
