/** A line of the Prometheus text format: a value with its name and labels. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const linePattern = /^(\w+)(?:\{((?:\w+="[^"]*",?)+)\})? ([\d.e+-]+|Nan)$/;

/** Reads metrics regardless of label order. */
export const samplesOf = (text: string): Sample[] =>
  text.split('\n').flatMap((line) => {
    if (line === '' || /^# (HELP|TYPE) \w+ .+$/.test(line)) return [];
    const [, name, labels, value] = linePattern.exec(line) ?? [];
    if (name === undefined) throw new Error(`Not a line of metrics: ${line}`);
    const pairs = [...(labels ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, label, of]) => [label, of]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
