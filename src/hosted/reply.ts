import { parseJson } from '../http/json.js';

/** The object that a reply's text holds; an empty one where it holds something else. */
export function bodyOf(text: string): Record<string, unknown> {
  try {
    const body = parseJson(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
