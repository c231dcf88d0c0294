import * as z from 'zod';
import { InvalidCursor } from '../../data/state/rows.js';
import { fieldError } from '../../domain/http-error.js';
import { identifier, invalidError } from './input.js';

/** Pagination parameters; each list adds its own. */
export const PageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(500).optional().describe('1 to 500 (default 100).'),
  cursor: identifier(1000).optional().describe('The value of next from the previous page.'),
});

/** A page of a list; an invalid cursor is the caller's error. */
export async function pageOf<Page>(page: Promise<Page>): Promise<Page> {
  try {
    return await page;
  } catch (error) {
    if (!(error instanceof InvalidCursor)) throw error;
    throw invalidError('The query', [fieldError('cursor', error.message.replace(/\.$/, ''))]);
  }
}
