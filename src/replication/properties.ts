/** Ids of Analytics properties, each once, out of a list or a text that holds one: comma-separated, or a JSON array. */
export function propertiesIn(given: unknown): string[] {
  const ids = typeof given === 'string' ? listIn(given) : given;
  if (!Array.isArray(ids)) return [];
  return [
    ...new Set(
      ids.map((id) =>
        String(id)
          .trim()
          .replace(/^properties\//, ''),
      ),
    ),
  ];
}

function listIn(text: string): unknown {
  if (!text.trim().startsWith('[')) return text.split(',').filter((id) => id.trim() !== '');
  try {
    return JSON.parse(text);
  } catch {
    return [];
  }
}
