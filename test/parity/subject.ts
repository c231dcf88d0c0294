import type { Sandbox } from 'agent-connectors-sandbox';
import type { Subject, TestedClass } from 'agent-connectors-sandbox/testing';

/** One connector that is to do the same in both modes. */
export interface ParitySubject<C extends TestedClass = TestedClass> extends Pick<Subject<C, Sandbox>, 'Connector'> {
  /** A vendor with the same data every time, at a time that stands still. */
  readonly sandbox: () => Sandbox;
  readonly credentials: (sandbox: Sandbox) => Readonly<Record<string, string>>;
  /** For each `entity.action`, parameters that it succeeds with. */
  readonly params: Readonly<Record<string, (connector: InstanceType<C>) => object | Promise<object>>>;
  /** Parameters that make the pages of a list small. */
  readonly small: (list: string) => object;
  /** The id of a record that an action made, where the library has made that id itself. */
  readonly madeId?: (action: string, data: any) => string | undefined;
}

/** When every sandbox begins: a whole second, since the Date header knows no fractions. */
export const start = Math.floor(Date.now() / 1000) * 1000;

/** A subject whose parameters may use its connector's own methods. */
export const subjectOf = <C extends TestedClass>(subject: ParitySubject<C>): ParitySubject =>
  subject as unknown as ParitySubject;
