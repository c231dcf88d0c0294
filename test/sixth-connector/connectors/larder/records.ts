import * as z from 'zod';
import { type RecordType, record } from '../../src/authoring.js';

const text = z.string().nullable();

/** A jar on a shelf. */
export const Jar = record({
  id: z.string(),
  label: text.describe('What is written on the jar.'),
  grams: z.number().nullable().describe('Weight of the contents.'),
  keeper: z.looseObject({ name: z.string() }).nullable().describe('Who filled it, as { name }.'),
  filled_at: text.describe('ISO 8601, UTC.'),
});

/** A jar on a shelf. */
export type Jar = RecordType<typeof Jar>;

/** The list's meta. */
export const JarPage = z.object({ cursor: text.describe('Pass it as `cursor` for the next page.') });
