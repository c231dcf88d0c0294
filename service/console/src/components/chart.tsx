import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { locale, texts } from '../texts/index.js';
import { count } from './time.js';

/** One line, or one part of the bars, of a chart. */
export interface Series {
  readonly name: string;
  readonly tone: 'one' | 'two' | 'three';
  /** A value for each time; null where it is unknown. */
  readonly values: ReadonlyArray<number | null>;
  /** Whether it is drawn dashed, as what is compared with. */
  readonly dashed?: boolean;
}

interface ChartProps {
  readonly title: string;
  /** Starts of the periods in milliseconds, oldest first. */
  readonly times: readonly number[];
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  /** Length of a period. */
  readonly unit: 'hour' | 'day';
  /** Periods that the axis has at least; those before the first time are unknown. */
  readonly span?: number;
  /** Bars are stacked. */
  readonly kind: 'bars' | 'lines';
  readonly format?: (value: number) => string;
  /** Times whose values are incomplete, which are marked. */
  readonly marked?: ReadonlySet<number> | undefined;
  readonly note?: string | undefined;
}

const heightOf = (width: number): number => (width < 420 ? 150 : 190);
/** Numbers are whole, and so are the steps of their axis. */
const wholeSteps = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

/** A chart over time. Arrow keys read its values, which are also in a table. */
export function Chart(props: ChartProps) {
  const { title, times, labels, series, kind, format = count, marked, note } = props;
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const [at, setAt] = useState<number | null>(null);
  const scheme = useScheme();
  const signature = JSON.stringify([times, series, scheme]);
  useEffect(() => {
    const element = frame.current!;
    const chart = new uPlot(optionsOf(props, element, setAt), dataOf(props), element);
    plot.current = chart;
    const sizes = new ResizeObserver(() =>
      chart.setSize({ width: element.clientWidth, height: heightOf(element.clientWidth) }),
    );
    sizes.observe(element);
    return () => {
      sizes.disconnect();
      chart.destroy();
    };
  }, [signature, kind, title]);
  const move = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      Home: -times.length,
      End: times.length,
    };
    const step = steps[event.key];
    if (step === undefined || times.length === 0) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(times.length - 1, (at ?? (step < 0 ? times.length : -1)) + step));
    const chart = plot.current!;
    chart.setCursor({ left: chart.valToPos(times[next]! / 1000, 'x'), top: chart.height / 2 });
    setAt(next);
  };
  const textOf = (value: number | null | undefined) => (value === null || value === undefined ? '–' : format(value));
  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}</strong>
        <span class="legend">
          {series.map(({ name, tone, dashed }) => (
            <span key={name} class={`${tone} ${dashed ? 'dashed' : ''}`}>
              {name}
            </span>
          ))}
        </span>
      </figcaption>
      <div
        ref={frame}
        class="plot"
        role="img"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys read the values.
        tabIndex={0}
        aria-label={texts.chart.described(title)}
        onKeyDown={move}
      />
      <p class="readout" aria-live="polite">
        {at === null || labels[at] === undefined
          ? (note ?? '')
          : `${labels[at]}: ${series.map(({ name, values }) => `${textOf(values[at])} ${name}`).join(', ')}${marked?.has(times[at]!) ? ` (${texts.chart.incomplete})` : ''}`}
      </p>
      <details>
        <summary>{texts.chart.numbers}</summary>
        <table>
          <caption class="hidden">{title}</caption>
          <thead>
            <tr>
              <th scope="col">{texts.when}</th>
              {series.map(({ name }) => (
                <th key={name} scope="col" class="numeric">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((label, index) => (
              <tr key={times[index]}>
                <th scope="row">
                  {label}
                  {marked?.has(times[index]!) ? ` (${texts.chart.incomplete})` : ''}
                </th>
                {series.map(({ name, values }) => (
                  <td key={name} class="numeric">
                    {textOf(values[index])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

/** The reader's color scheme. */
function useScheme(): boolean {
  const query = matchMedia('(prefers-color-scheme: dark)');
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const update = () => setDark(query.matches);
    query.addEventListener('change', update);
    return () => query.removeEventListener('change', update);
  }, []);
  return isDark;
}

/** Bars are drawn from the sum of all parts down to the first part, each over the one before it. */
function dataOf({ times, series, kind }: ChartProps): uPlot.AlignedData {
  const parts =
    kind === 'lines'
      ? series.map(({ values }) => [...values])
      : series
          .map((_, index) =>
            times.map((_, at) => {
              const values = series.slice(0, index + 1).map(({ values }) => values[at] ?? null);
              return values.every((value) => value === null)
                ? null
                : values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
            }),
          )
          .reverse();
  return [times.map((time) => time / 1000), ...parts];
}

const seconds = { hour: 3_600, day: 86_400 } as const;
const increments = [1, 2, 3, 4, 6, 8, 12, 24, 48, 72, 168, 336, 672].map((hours) => hours * 3_600);

const isKnown = (value: number | null | undefined): boolean => typeof value === 'number';

const tones = { one: '--accent', two: '--bad', three: '--compared' } as const;

function optionsOf(
  { times, series, kind, unit, span = 2, format = count, marked }: ChartProps,
  element: HTMLElement,
  onCursor: (at: number | null) => void,
): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const font = `11px ${style.fontFamily}`;
  const axis = { stroke: color('--quiet'), font, ticks: { show: false } };
  const step = seconds[unit];
  // Not the range that uPlot suggests: that of a single time is a thousand days long.
  const last = (times.at(-1) ?? 0) / 1000;
  const first = Math.min((times[0] ?? 0) / 1000, last - (span - 1) * step);
  const range: uPlot.Range.MinMax = kind === 'bars' ? [first - step / 2, last + step / 2] : [first, last];
  const slot = (element.clientWidth || 600) / Math.max(span, times.length);
  const bars = uPlot.paths.bars!({ size: [0.7, Math.min(40, 0.7 * slot)] });
  const drawn = kind === 'bars' ? [...series].reverse() : series;
  return {
    width: element.clientWidth || 600,
    height: heightOf(element.clientWidth || 600),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind === 'lines' } },
    scales: {
      x: { range: () => range },
      y: { range: (_, __, max) => [0, Math.max(1, max) * 1.1] },
    },
    axes: [
      {
        ...axis,
        size: 26,
        grid: { show: false },
        // A period has no parts.
        incrs: increments.filter((increment) => increment >= step),
        values: (_, splits, __, ___, increment) => splits.map((at) => timeLabel(at * 1000, increment)),
      },
      {
        ...axis,
        grid: { stroke: color('--line'), width: 1 },
        size: 56,
        incrs: wholeSteps,
        values: (_, splits) => splits.map((value) => format(value)),
      },
    ],
    series: [
      {},
      ...drawn.map(({ name, tone, dashed, values }): uPlot.Series => {
        const stroke = color(tones[tone]);
        if (kind === 'bars')
          return { label: name, fill: stroke, stroke, width: 0, paths: bars, points: { show: false } };
        // A value between unknown ones has no line.
        const points = {
          show: values.some((value, at) => isKnown(value) && !isKnown(values[at - 1]) && !isKnown(values[at + 1])),
        };
        return { label: name, stroke, width: 2, points, ...(dashed && { dash: [4, 4] }) };
      }),
    ],
    hooks: {
      setCursor: [({ cursor }) => onCursor(cursor.idx ?? null)],
      drawClear: [(chart) => drawMarks(chart, marked, step, color('--mark'))],
    },
  };
}

/** Shades the periods whose values are incomplete. */
function drawMarks(chart: uPlot, marked: ReadonlySet<number> | undefined, step: number, fill: string): void {
  const { ctx, bbox } = chart;
  ctx.save();
  ctx.fillStyle = fill;
  for (const time of marked ?? []) {
    const left = chart.valToPos(time / 1000 - step / 2, 'x', true);
    const right = chart.valToPos(time / 1000 + step / 2, 'x', true);
    ctx.fillRect(left, bbox.top, right - left, bbox.height);
  }
  ctx.restore();
}

const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const time = new Intl.DateTimeFormat(locale, { hour: 'numeric' });

const timeLabel = (at: number, increment: number): string => (increment >= 86_400 ? day : time).format(at);
