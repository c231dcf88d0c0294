import { InvalidCursor } from '../../data/state/rows.js';
import { fieldError } from '../../domain/http-error.js';
import { invalidError } from './input.js';

/** A page of a list; an invalid cursor is the caller's error. */
export async function pageOf<Page>(page: Promise<Page>): Promise<Page> {
  try {
    return await page;
  } catch (error) {
    if (!(error instanceof InvalidCursor)) throw error;
    throw invalidError('The query', [fieldError('cursor', error.message.replace(/\.$/, ''))]);
  }
}
