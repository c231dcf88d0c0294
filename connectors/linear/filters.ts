import * as z from 'zod';
import { idParam } from '../../src/authoring.js';

// Comparators and filters named after Linear's inputs, for the fields that records have (Linear's public schema:
// IssueFilter, ProjectFilter and related types).

const operators = <T extends z.ZodString | z.ZodNumber>(value: T) => ({
  eq: z.optional(value),
  neq: z.optional(value),
  in: z.optional(z.array(value)),
  nin: z.optional(z.array(value)),
});
const ordered = <T extends z.ZodString | z.ZodNumber>(value: T) => ({
  ...operators(value),
  lt: z.optional(value),
  lte: z.optional(value),
  gt: z.optional(value),
  gte: z.optional(value),
});
const isNull = { null: z.boolean().optional().describe('true for records without a value.') };

const text = {
  ...operators(z.string()),
  eqIgnoreCase: z.string().optional(),
  contains: z.string().optional(),
  containsIgnoreCase: z.string().optional(),
  startsWith: z.string().optional(),
  endsWith: z.string().optional(),
};
const moment = z
  .string()
  .min(1)
  .describe('ISO 8601: a date-time, a date, or a duration relative to now, such as -P2W.');

const id = z.strictObject(operators(idParam('', { expected: 'an id as returned by Linear, a UUID' }))).optional();
const string = z.strictObject(text).optional();
const number = z.strictObject(ordered(z.number())).optional();
const nullableNumber = z.strictObject({ ...ordered(z.number()), ...isNull }).optional();
const date = z.strictObject(ordered(moment)).optional();
const nullableDate = z.strictObject({ ...ordered(moment), ...isNull }).optional();
const flag = z.strictObject({ eq: z.boolean().optional(), neq: z.boolean().optional() }).optional();

const user = z.strictObject({ id, name: string, email: string, isMe: flag, ...isNull }).optional();
const label = z.strictObject({ id, name: string }).optional();
const projectStatus = z.strictObject({ id, name: string, type: string }).optional();

const issueFields = {
  id,
  number,
  title: string,
  description: z.strictObject({ ...text, ...isNull }).optional(),
  priority: nullableNumber,
  estimate: nullableNumber,
  dueDate: nullableDate,
  state: z.strictObject({ id, name: string, type: string }).optional(),
  assignee: user,
  team: z.strictObject({ id, key: string, name: string }).optional(),
  project: z.strictObject({ id, name: string, ...isNull }).optional(),
  parent: z.strictObject({ id, number, title: string, ...isNull }).optional(),
  labels: z
    .strictObject({ id, name: string, some: label, every: label, ...isNull })
    .optional()
    .describe('Matches on any label. Use `some` for at least one, `every` for all.'),
  createdAt: date,
  updatedAt: date,
  completedAt: nullableDate,
  archivedAt: nullableDate,
};

/** Filters for `issues.list`. */
export const IssueFilter = z.strictObject({
  ...issueFields,
  and: z.array(z.strictObject(issueFields)).optional().describe('All of these.'),
  or: z.array(z.strictObject(issueFields)).optional().describe('One or more of these.'),
});

const projectFields = {
  id,
  name: string,
  slugId: string,
  status: projectStatus,
  lead: user,
  priority: nullableNumber,
  startDate: nullableDate,
  targetDate: nullableDate,
  createdAt: date,
  updatedAt: date,
  completedAt: nullableDate,
};

/** Filters for `projects.list`. */
export const ProjectFilter = z.strictObject({
  ...projectFields,
  and: z.array(z.strictObject(projectFields)).optional().describe('All of these.'),
  or: z.array(z.strictObject(projectFields)).optional().describe('One or more of these.'),
});
