import { parseJson } from '../http/json.js';

/** Parses a JSON object; returns an empty one for anything else. */
export function bodyOf(text: string): Record<string, unknown> {
  try {
    const body = parseJson(text);
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
