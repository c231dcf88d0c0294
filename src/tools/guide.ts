/** A guide's heading and its content. */
export interface GuideSection {
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

/** A guide split at its second-level headings. */
export interface Guide {
  readonly intro: string;
  readonly sections: readonly GuideSection[];
}

const idOf = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

/** Splits a Markdown guide. */
export function readGuide(text: string): Guide {
  const parts: Array<{ title: string; lines: string[] }> = [{ title: '', lines: [] }];
  let inCode = false;
  for (const line of text.split('\n')) {
    if (/^ *```/.test(line)) inCode = !inCode;
    const title = inCode ? undefined : /^## +(.+?) *$/.exec(line)?.[1];
    if (title !== undefined) parts.push({ title, lines: [] });
    else parts.at(-1)!.lines.push(line);
  }
  const [first, ...rest] = parts.map(({ title, lines }) => ({ id: idOf(title), title, body: lines.join('\n').trim() }));
  return { intro: first!.body.replace(/^# .*\n*/, '').trim(), sections: rest };
}
