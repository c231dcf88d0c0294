import type { Hooks } from 'agent-connectors';

/** What is told of a span; names, numbers and outcomes, never what a tenant sent. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** One call of an action, as it is told. */
export interface ToldCall {
  readonly type: string;
  readonly entity: string;
  readonly action: string;
}

/** Where traces and measurements go. */
export interface Telemetry {
  /** Does the work of a request within the trace that its headers name. */
  received<T>(headers: Headers, work: () => Promise<T>): Promise<T>;
  /** Does work in a span of its own. */
  span<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T>;
  /** Runs an action, in a span and counted. */
  call<T>(call: ToldCall, work: () => Promise<T>): Promise<T>;
  /** Told of a vendor's replies. */
  vendorHooks(type: string): Pick<Hooks, 'onRequest' | 'onResponse' | 'onRetry'>;
  /** Told of a reply's headers, and gives a request those that it is to carry. */
  readonly vendor: {
    headers(): Readonly<Record<string, string>>;
    replied(host: string, headers: Headers): void;
  };
}

/** What is done with telemetry. */
export interface TelemetryOptions {
  /** Whether requests to vendors carry the trace that they belong to. */
  readonly traceVendors: boolean;
}
