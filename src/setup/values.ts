/** Distinct values in a list, a comma-separated string or a JSON array. */
export function valuesIn(given: unknown): string[] {
  const values = typeof given === 'string' ? listIn(given) : given;
  if (!Array.isArray(values)) return [];
  return [...new Set(values.map((value) => String(value).trim()))];
}

function listIn(text: string): unknown {
  if (!text.trim().startsWith('[')) return text.split(',').filter((value) => value.trim() !== '');
  try {
    return JSON.parse(text);
  } catch {
    return [];
  }
}
