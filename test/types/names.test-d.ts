import type { DimensionName, GoogleAnalyticsConnector, MetricName } from 'agent-connectors/google-analytics';
import type { ExportFormat, GoogleDriveConnector } from 'agent-connectors/google-drive';
import type { Issue, LinearConnector, StateType } from 'agent-connectors/linear';
import { expectTypeOf, it } from 'vitest';

declare const analytics: GoogleAnalyticsConnector;
declare const drive: GoogleDriveConnector;
declare const linear: LinearConnector;

/** The names of an open union, without `string`. */
type Known<T> = T extends string ? (string extends T ? never : T) : never;
type DataOf<R> = R extends Promise<{ data: infer D }> ? D : never;

it('known names are completed, and others compile', () => {
  expectTypeOf<'customEvent:plan'>().toExtend<DimensionName>();
  expectTypeOf<string>().toExtend<MetricName & ExportFormat & StateType>();
  expectTypeOf<'sessionSource'>().toExtend<Known<DimensionName>>();
  expectTypeOf<'keyEvents'>().toExtend<Known<MetricName>>();
  expectTypeOf<'text/markdown'>().toExtend<Known<ExportFormat>>();
  expectTypeOf<'triage'>().toExtend<Known<StateType>>();
});

it('parameters and records have them', () => {
  const report = () =>
    analytics.pages.list({ property_id: '1', dimensions: [{ name: 'date' }, { name: 'customUser:x' }] });
  expectTypeOf(report).toBeFunction();
  type Report = NonNullable<Parameters<typeof analytics.pages.list>[0]>;
  expectTypeOf<NonNullable<Report['dimensions']>[number]['name']>().toEqualTypeOf<DimensionName>();
  type Export = NonNullable<Parameters<typeof drive.files_export.download>[0]>;
  expectTypeOf<Export['mimeType']>().toEqualTypeOf<ExportFormat>();
  expectTypeOf<NonNullable<Issue['state']>['type']>().toEqualTypeOf<StateType>();
  const states = () => linear.workflow_states.list();
  expectTypeOf<DataOf<ReturnType<typeof states>>[number]['type']>().toEqualTypeOf<StateType | null>();
});
