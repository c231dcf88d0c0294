import type { ActivitySeries } from 'agent-connectors/wire';
import { periodsOf } from '../data/series.js';
import { texts } from '../texts/index.js';
import { lazy } from './lazy.js';
import { duration } from './time.js';

/** A chart over time, loaded when it is first shown. */
export const Chart = lazy(() => import('./chart.js').then((module) => module.Chart));

/** Calls and errors, and how long calls took. */
export const CallCharts = ({ series }: { readonly series: ActivitySeries }) => (
  <>
    <Chart
      title={texts.chart.calls}
      kind="bars"
      {...periodsOf(series)}
      series={[
        { name: texts.chart.succeeded, tone: 'one', values: series.data.map(({ calls, errors }) => calls - errors) },
        { name: texts.chart.errors, tone: 'two', values: series.data.map(({ errors }) => errors) },
      ]}
    />
    <Chart
      title={texts.chart.latency}
      kind="lines"
      {...periodsOf(series)}
      series={[
        { name: 'p50', tone: 'one', values: series.data.map(({ p50_ms }) => p50_ms) },
        { name: 'p95', tone: 'three', values: series.data.map(({ p95_ms }) => p95_ms), dashed: true },
      ]}
      format={duration}
    />
  </>
);
