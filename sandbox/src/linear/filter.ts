import type { LinearContext } from './context.js';

type Filter = Record<string, unknown>;
type Subject = Record<string, any>;
type Related = (subject: Subject, field: string) => Subject | undefined;

/** Whether a row matches a filter input. */
export function matchesFilter(context: LinearContext, subject: Subject, filter: Filter): boolean {
  const related: Related = (from, field) => relatedRow(context, from, field);
  return matches(context, subject, filter, related);
}

const relations = new Set([
  'assignee',
  'creator',
  'team',
  'state',
  'project',
  'parent',
  'status',
  'lead',
  'issue',
  'user',
]);

function matches(context: LinearContext, subject: Subject | undefined, filter: Filter, related: Related): boolean {
  return Object.entries(filter).every(([name, wanted]) => {
    if (wanted == null) return true;
    if (name === 'null') return (subject === undefined) === wanted;
    if (name === 'and') return (wanted as Filter[]).every((part) => matches(context, subject, part, related));
    if (name === 'or') return (wanted as Filter[]).some((part) => matches(context, subject, part, related));
    if (!subject) return false;
    if (name === 'labels') return matchesLabels(context, subject, wanted as Filter, related);
    const isRelation = relations.has(name) && !(name === 'state' && 'statusId' in subject);
    if (isRelation) return matches(context, related(subject, name), wanted as Filter, related);
    return Object.entries(wanted as Filter).every(([operator, operand]) => {
      if (operand == null) return true;
      return compare(fieldOf(context, subject, name), operator, operand, context.now);
    });
  });
}

/** A label filter without `some` or `every` matches any label. */
function matchesLabels(context: LinearContext, subject: Subject, filter: Filter, related: Related): boolean {
  const { some, every, null: none, and, or, ...any } = filter as Record<string, any>;
  const labels = context.workspace.issueLabels.all().filter(({ id }) => subject.labelIds.includes(id));
  const passes = (wanted: Filter) => (label: Subject) => matches(context, label, wanted, related);
  return (
    (none == null || (labels.length === 0) === none) &&
    (!some || labels.some(passes(some))) &&
    (!every || labels.every(passes(every))) &&
    (Object.keys(any).length === 0 || labels.some(passes(any))) &&
    (!and || and.every((part: Filter) => matchesLabels(context, subject, part, related))) &&
    (!or || or.some((part: Filter) => matchesLabels(context, subject, part, related)))
  );
}

function fieldOf(context: LinearContext, subject: Subject, name: string): unknown {
  if (name === 'isMe') return subject.id === context.viewer.id;
  if (name === 'state') return context.workspace.projectStatuses.get(subject.statusId)?.type;
  return subject[name];
}

function relatedRow({ workspace }: LinearContext, from: Subject, field: string): Subject | undefined {
  switch (field) {
    case 'assignee':
      return workspace.users.get(from.assigneeId);
    case 'creator':
      return workspace.users.get(from.creatorId);
    case 'lead':
      return workspace.users.get(from.leadId);
    case 'user':
      return workspace.users.get(from.userId);
    case 'team':
      return workspace.teams.get(from.teamId);
    case 'state':
      return workspace.workflowStates.get(from.stateId);
    case 'status':
      return workspace.projectStatuses.get(from.statusId);
    case 'project':
      return workspace.projects.get(from.projectId);
    case 'issue':
      return workspace.issues.get(from.issueId);
    default:
      return workspace.issues.get(from.parentId) ?? workspace.comments.get(from.parentId);
  }
}

function compare(value: unknown, operator: string, operand: any, now: number): boolean {
  if (operator === 'null') return (value == null) === operand;
  if (operator === 'in') return operand.some((one: unknown) => compare(value, 'eq', one, now));
  if (operator === 'nin') return !operand.some((one: unknown) => compare(value, 'eq', one, now));
  if (operator === 'neq') return !compare(value, 'eq', operand, now);
  const negative = /^(?:not|neq)(.*)$/.exec(operator)?.[1];
  if (negative)
    return !compare(value, negative === 'IgnoreCase' ? 'eqIgnoreCase' : uncapitalize(negative), operand, now);
  if (value == null) return false;
  if (operator === 'eq' && typeof value !== 'string') return value === operand;
  if (/^(eq|lt|lte|gt|gte)$/.test(operator)) return compareOrdered(value as never, operator, operand, now);
  return compareText(String(value), operator, String(operand));
}

function compareOrdered(value: string | number, operator: string, operand: string | number, now: number): boolean {
  const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(value);
  const left = isTime ? Date.parse(value) : value;
  const right = isTime ? resolveTime(String(operand), now) : operand;
  if (operator === 'eq') return left === right;
  if (operator === 'lt') return left < right;
  if (operator === 'lte') return left <= right;
  return operator === 'gt' ? left > right : left >= right;
}

const durationPart = /(\d+)([YMWDH])/g;
const milliseconds: Record<string, number> = { Y: 365, M: 30, W: 7, D: 1, H: 1 / 24 };

/** A date, or an ISO 8601 duration such as `-P2W` relative to now. */
function resolveTime(value: string, now: number): number {
  if (!/^-?P/.test(value)) return Date.parse(value);
  let days = 0;
  for (const [, amount, unit] of value.matchAll(durationPart)) days += Number(amount) * milliseconds[unit!]!;
  return now + (value.startsWith('-') ? -1 : 1) * days * 86_400_000;
}

function compareText(value: string, operator: string, operand: string): boolean {
  if (operator.endsWith('IgnoreCaseAndAccent'))
    return compareText(foldText(value), operator.slice(0, -19), foldText(operand));
  if (operator.endsWith('IgnoreCase'))
    return compareText(value.toLowerCase(), operator.slice(0, -10), operand.toLowerCase());
  if (operator === 'contains') return value.includes(operand);
  if (operator === 'startsWith') return value.startsWith(operand);
  return operator === 'endsWith' ? value.endsWith(operand) : value === operand;
}

function foldText(value: string): string {
  return value.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

function uncapitalize(word: string): string {
  return word.charAt(0).toLowerCase() + word.slice(1);
}
