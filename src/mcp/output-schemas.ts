import type { JsonSchema } from '../manifest/describe.js';

const text = { type: 'string' };
const list = (items: object) => ({ type: 'array', items });
const object = (properties: object): JsonSchema => ({ type: 'object', properties });

const inspection = {
  ...{ name: text, title: text, version: text, mode: text, docs_skill_id: text, docs_hash: text },
  ...{ entities: list({ type: 'object' }), context_store_readiness: {}, warnings: list(text) },
};

/** What the structured content of each tool looks like; clients refuse a result that lacks it, so each has a `text` to fall back to. */
export const outputSchemas = {
  inspect: (isSingle: boolean): JsonSchema =>
    object({ ...(isSingle ? inspection : { connectors: list({ type: 'object' }) }), text }),
  docs: object({
    metadata: { type: 'object' },
    section_id: { type: ['string', 'null'] },
    outline: list({ type: 'object' }),
    text,
  }),
  execute: object({ notice: text, opens: text, data: {}, meta: {}, closes: text, hint: text, text, continue: text }),
};
