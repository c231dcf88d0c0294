import { message, type Shape } from './shape.js';

/** A filter, or a combination of filters. */
export interface FilterExpression {
  andGroup?: { expressions?: FilterExpression[] };
  orGroup?: { expressions?: FilterExpression[] };
  notExpression?: FilterExpression;
  filter?: Filter;
}

/** A condition on a dimension or metric. */
export interface Filter {
  fieldName?: string;
  stringFilter?: { matchType?: string; value?: string; caseSensitive?: boolean };
  inListFilter?: { values?: string[]; caseSensitive?: boolean };
  numericFilter?: { operation?: string; value?: NumericValue };
  betweenFilter?: { fromValue?: NumericValue; toValue?: NumericValue };
  emptyFilter?: object;
}

/** A number in a filter. */
export interface NumericValue {
  int64Value?: number;
  doubleValue?: number;
}

/** A sort order. */
export interface OrderBy {
  desc?: boolean;
  metric?: { metricName?: string };
  dimension?: { dimensionName?: string; orderType?: string };
  pivot?: object;
}

/** A report request. */
export interface ReportRequest {
  property?: string;
  dateRanges?: Record<string, string>[];
  dimensions?: { name?: string; dimensionExpression?: object }[];
  metrics?: { name?: string; expression?: string; invisible?: boolean }[];
  dimensionFilter?: FilterExpression;
  metricFilter?: FilterExpression;
  orderBys?: OrderBy[];
  metricAggregations?: string[];
  offset?: number;
  limit?: number;
  currencyCode?: string;
  keepEmptyRows?: boolean;
  returnPropertyQuota?: boolean;
  cohortSpec?: object;
  comparisons?: object[];
}

const numericValue = message({ int64Value: 'int64', doubleValue: 'double' });
const matchTypes = ['MATCH_TYPE_UNSPECIFIED', 'EXACT', 'BEGINS_WITH', 'ENDS_WITH', 'CONTAINS', 'FULL_REGEXP'];
const operations = ['OPERATION_UNSPECIFIED', 'EQUAL', 'LESS_THAN', 'LESS_THAN_OR_EQUAL', 'GREATER_THAN'];
const orderTypes = ['ORDER_TYPE_UNSPECIFIED', 'ALPHANUMERIC', 'CASE_INSENSITIVE_ALPHANUMERIC', 'NUMERIC'];
const aggregations = ['METRIC_AGGREGATION_UNSPECIFIED', 'TOTAL', 'MINIMUM', 'MAXIMUM', 'COUNT'];

const condition = message({
  fieldName: 'string',
  stringFilter: message({
    matchType: { oneOf: [...matchTypes, 'PARTIAL_REGEXP'], type: 'Filter.StringFilter.MatchType' },
    value: 'string',
    caseSensitive: 'boolean',
  }),
  inListFilter: message({ values: { list: 'string' }, caseSensitive: 'boolean' }),
  numericFilter: message({
    operation: { oneOf: [...operations, 'GREATER_THAN_OR_EQUAL'], type: 'Filter.NumericFilter.Operation' },
    value: numericValue,
  }),
  betweenFilter: message({ fromValue: numericValue, toValue: numericValue }),
  emptyFilter: message({}),
});

/** Recursive, because filters contain filters. */
const expression: { fields: Record<string, Shape> } = { fields: { filter: condition } };
const group = message({ expressions: { list: expression } });
Object.assign(expression.fields, { andGroup: group, orGroup: group, notExpression: expression });

const dimension = message({
  name: 'string',
  dimensionExpression: message({
    lowerCase: message({ dimensionName: 'string' }),
    upperCase: message({ dimensionName: 'string' }),
    concatenate: message({ dimensionNames: { list: 'string' }, delimiter: 'string' }),
  }),
});
const metric = message({ name: 'string', expression: 'string', invisible: 'boolean' });
const dateRange = message({ startDate: 'string', endDate: 'string', name: 'string' });

/** Shape of a report request. */
export const reportShape = message({
  property: 'string',
  dateRanges: { list: dateRange },
  dimensions: { list: dimension },
  metrics: { list: metric },
  dimensionFilter: expression,
  metricFilter: expression,
  orderBys: {
    list: message({
      desc: 'boolean',
      metric: message({ metricName: 'string' }),
      dimension: message({ dimensionName: 'string', orderType: { oneOf: orderTypes, type: 'OrderBy.OrderType' } }),
      pivot: message({
        metricName: 'string',
        pivotSelections: { list: message({ dimensionName: 'string', dimensionValue: 'string' }) },
      }),
    }),
  },
  metricAggregations: { list: { oneOf: aggregations, type: 'MetricAggregation' } },
  offset: 'int64',
  limit: 'int64',
  currencyCode: 'string',
  keepEmptyRows: 'boolean',
  returnPropertyQuota: 'boolean',
  cohortSpec: message({
    cohorts: { list: message({ name: 'string', dimension: 'string', dateRange }) },
    cohortsRange: message({
      granularity: {
        oneOf: ['GRANULARITY_UNSPECIFIED', 'DAILY', 'WEEKLY', 'MONTHLY'],
        type: 'CohortsRange.Granularity',
      },
      startOffset: 'int64',
      endOffset: 'int64',
    }),
    cohortReportSettings: message({ accumulate: 'boolean' }),
  }),
  comparisons: { list: message({ name: 'string', dimensionFilter: expression, comparison: 'string' }) },
});

/** Shape of a batch request. */
export const batchShape = message({ requests: { list: reportShape } });

/** Shape of a compatibility request. */
export const compatibilityShape = message({
  dimensions: { list: dimension },
  metrics: { list: metric },
  dimensionFilter: expression,
  metricFilter: expression,
  compatibilityFilter: { oneOf: ['COMPATIBILITY_UNSPECIFIED', 'COMPATIBLE', 'INCOMPATIBLE'], type: 'Compatibility' },
});
