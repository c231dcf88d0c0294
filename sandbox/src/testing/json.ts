const width = 120;

/** JSON as the formatter of this repository leaves it: objects over several lines, short plain arrays on one. */
export const formatJson = (value: unknown): string => `${print(value, '', 0)}\n`;

function print(value: unknown, indent: string, before: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const deeper = `${indent}  `;
  if (!Array.isArray(value)) {
    const lines = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => {
        const name = `${JSON.stringify(key)}: `;
        return `${deeper}${name}${print(item, deeper, deeper.length + name.length)}`;
      });
    return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${indent}}`;
  }
  const items = value.map((item) => print(item, deeper, deeper.length));
  const line = `[${items.join(', ')}]`;
  // One column is kept for the comma that may follow.
  if (!line.includes('\n') && before + line.length < width) return line;
  return `[\n${items.map((item) => deeper + item).join(',\n')}\n${indent}]`;
}
