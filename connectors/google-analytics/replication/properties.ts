/** The ids of a configuration's properties: a list, or text that holds one, comma-separated or as a JSON array. */
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
  ].filter((id) => id !== '');
}

function listIn(text: string): unknown {
  return text.trim().startsWith('[') ? JSON.parse(text) : text.split(',');
}
