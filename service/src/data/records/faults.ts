import { ConnectorError, type ParameterIssue, suggestion } from 'agent-connectors';
import type { Layout } from './schema.js';

/** So many faults are told at most: a filter of nothing else must not make a longer answer. */
const most = 20;
const longest = 100;
/** Of more fields than these the nearest are named, and where all of them stand. */
const few = 12;

const short = (text: string) => (text.length > longest ? `${text.slice(0, longest)}…` : text);

/** Collects what is wrong with the parameters of a search. */
export class Faults {
  readonly #issues: ParameterIssue[] = [];
  #fields: Layout | undefined;

  /** Notes one fault; gives nothing, so that a checker can return it in place of a result. */
  add(path: string, message: string): undefined {
    if (this.#issues.length < most) this.#issues.push({ path: path.split('.').map(short).join('.'), message });
  }

  unknownField(path: string, layout: Layout, at: string): undefined {
    const names = layout.columns.map(({ field }) => field);
    this.#fields = layout;
    this.add(at, `is not a searchable field. ${suggestion(path, names, 'fields', few)}`.slice(0, -1));
  }

  unknownName(name: string, known: readonly string[], at: string): undefined {
    this.add(at, `is not known here. ${suggestion(name, known, 'names')}`.slice(0, -1));
  }

  /** Throws where anything was noted. */
  settle({ entity }: Layout): void {
    if (this.#issues.length === 0) return;
    const where = `${entity}.context_store_search`;
    const list = this.#issues.map(({ path, message }) => (path ? `${path} ${message}` : message)).join('; ');
    const fields = this.#fields?.columns.length ?? 0;
    throw new ConnectorError('invalid_params', `${where}: ${list}.`, {
      issues: this.#issues,
      hint: fields > few ? `Section "actions.${where}" of the docs lists all ${fields} fields.` : undefined,
      docs: `actions.${where}`,
    });
  }
}
