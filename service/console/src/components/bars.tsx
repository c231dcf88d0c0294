import { texts } from '../texts/index.js';
import { count } from './time.js';

/** A stacked bar. */
export interface Bar {
  readonly label: string;
  readonly parts: readonly number[];
}

interface BarsProps {
  readonly title: string;
  /** The parts of every bar, in order. */
  readonly series: ReadonlyArray<{ readonly name: string; readonly class: string }>;
  readonly bars: readonly Bar[];
  readonly unit?: (value: number) => string;
}

const [width, height, left, bottom] = [640, 190, 76, 30];

/** A bar chart over time, with its data also provided as a table. */
export function Bars({ title, series, bars, unit = count }: BarsProps) {
  const top = niceMaximum(Math.max(1, ...bars.map(({ parts }) => sum(parts))));
  const step = (width - left) / Math.max(1, bars.length);
  const y = (value: number) => (height - bottom) * (1 - value / top);
  const every = Math.ceil(bars.length / 8);
  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}</strong>
        <span class="legend">
          {series.map(({ name, class: tone }) => (
            <span key={name} class={tone}>
              {name}
            </span>
          ))}
        </span>
      </figcaption>
      <svg viewBox={`0 -16 ${width} ${height + 16}`} role="img" aria-label={texts.chart.described(title)}>
        {[0, 0.5, 1].map((part) => (
          <g key={part}>
            <line class="grid" x1={left} x2={width} y1={y(top * part)} y2={y(top * part)} />
            <text class="tick end" x={left - 6} y={y(top * part) + 4}>
              {unit(top * part)}
            </text>
          </g>
        ))}
        {bars.map(({ label, parts }, index) => (
          <g key={label}>
            {parts.map((part, at) => (
              <rect
                key={series[at]?.name}
                class={series[at]?.class}
                x={left + index * step + step * 0.15}
                width={step * 0.7}
                y={y(sum(parts.slice(0, at + 1)))}
                height={Math.max(part > 0 ? 1 : 0, y(0) - y(part))}
              >
                <title>{`${label}: ${unit(part)} ${series[at]?.name ?? ''}`}</title>
              </rect>
            ))}
            {index % every === 0 ? (
              <text class="tick" x={left + (index + 0.5) * step} y={height - 6}>
                {label}
              </text>
            ) : null}
          </g>
        ))}
      </svg>
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
            {bars.map(({ label, parts }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {parts.map((part, at) => (
                  <td key={series[at]?.name} class="numeric">
                    {unit(part)}
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

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The next larger round number. */
function niceMaximum(value: number): number {
  const size = 10 ** Math.floor(Math.log10(value));
  return (
    [1, 2, 4, 5, 10].map((factor) => factor * size).find((candidate) => candidate >= value && candidate >= 2) ?? value
  );
}
