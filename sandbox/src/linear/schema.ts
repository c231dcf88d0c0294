import {
  buildSchema,
  GraphQLError,
  type GraphQLScalarType,
  type GraphQLSchema,
  isObjectType,
  isScalarType,
} from 'graphql';
import { commentFields } from './resolvers/comment.js';
import { commentMutations } from './resolvers/comment-mutations.js';
import { issueFields } from './resolvers/issue.js';
import { issueMutations } from './resolvers/issue-mutations.js';
import { attachmentFields, cycleFields, issueLabelFields, issueRelationFields } from './resolvers/links.js';
import { projectFields, projectMilestoneFields, projectStatusFields } from './resolvers/project.js';
import { projectMutations } from './resolvers/project-mutations.js';
import { queryFields } from './resolvers/query.js';
import { removals } from './resolvers/removals.js';
import type { Resolvers } from './resolvers/resolver.js';
import { teamFields, workflowStateFields } from './resolvers/team.js';
import { organizationFields, userFields } from './resolvers/user.js';
import { commentTypes } from './schema/comment.js';
import { filterTypes } from './schema/filter.js';
import { issueTypes } from './schema/issue.js';
import { linkTypes } from './schema/links.js';
import { projectTypes } from './schema/project.js';
import { rootTypes } from './schema/root.js';
import { sortTypes } from './schema/sort.js';
import { teamTypes } from './schema/team.js';
import { userTypes } from './schema/user.js';

/** The emulated part of Linear's schema. */
const linearTypes = [
  rootTypes,
  issueTypes,
  linkTypes,
  projectTypes,
  teamTypes,
  userTypes,
  commentTypes,
  filterTypes,
  sortTypes,
].join('\n');

const resolvers: Record<string, Resolvers> = {
  Query: queryFields,
  Mutation: { ...issueMutations, ...projectMutations, ...commentMutations, ...removals },
  Issue: issueFields,
  Attachment: attachmentFields,
  Cycle: cycleFields,
  IssueLabel: issueLabelFields,
  IssueRelation: issueRelationFields,
  Project: projectFields,
  ProjectMilestone: projectMilestoneFields,
  ProjectStatus: projectStatusFields,
  Team: teamFields,
  WorkflowState: workflowStateFields,
  User: userFields,
  Organization: organizationFields,
  Comment: commentFields,
};

let built: GraphQLSchema | undefined;

/** The executable schema, built on first use. */
export function linearSchema(): GraphQLSchema {
  built ??= build();
  return built;
}

function build(): GraphQLSchema {
  const schema = buildSchema(linearTypes, { assumeValid: true, noLocation: true });
  for (const [name, fields] of Object.entries(resolvers)) {
    const type = schema.getType(name);
    if (!isObjectType(type)) throw new TypeError(`no object type ${name}`);
    for (const [field, resolve] of Object.entries(fields)) type.getFields()[field]!.resolve = resolve;
  }
  readInput(schema, 'DateTime', /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/);
  readInput(schema, 'TimelessDate', /^\d{4}-\d\d-\d\d$/);
  return schema;
}

function readInput(schema: GraphQLSchema, name: string, form: RegExp): void {
  const scalar = schema.getType(name);
  if (!isScalarType(scalar)) throw new TypeError(`no scalar ${name}`);
  const parse = (value: unknown): string => {
    if (typeof value === 'string' && form.test(value) && !Number.isNaN(Date.parse(value))) return value;
    throw new GraphQLError(`${name} cannot represent ${JSON.stringify(value)}`);
  };
  const writable = scalar as GraphQLScalarType;
  writable.parseValue = parse;
  writable.parseLiteral = (node) => parse('value' in node ? node.value : undefined);
}
