import type { Sandbox } from 'agent-connectors-sandbox';
import type { Subject, TestedClass } from 'agent-connectors-sandbox/testing';

/** A connector that must behave the same in both modes. */
export interface ParitySubject<C extends TestedClass = TestedClass> extends Pick<Subject<C, Sandbox>, 'Connector'> {
  /** A vendor with the same data every time, and a clock that does not advance. */
  readonly sandbox: () => Sandbox;
  readonly credentials: (sandbox: Sandbox) => Readonly<Record<string, string>>;
  /** For each `entity.action`, parameters that succeed. */
  readonly params: Readonly<Record<string, (connector: InstanceType<C>) => object | Promise<object>>>;
  /** Parameters that make a list's pages small. */
  readonly small: (list: string) => object;
  /** The id of a record created by an action, if the library generated it. */
  readonly madeId?: (action: string, data: any) => string | undefined;
}

/** The start of every sandbox: a whole second, since the Date header has no fractions. */
export const start = Math.floor(Date.now() / 1000) * 1000;

/** A subject whose parameters can use its connector's methods. */
export const subjectOf = <C extends TestedClass>(subject: ParitySubject<C>): ParitySubject =>
  subject as unknown as ParitySubject;
