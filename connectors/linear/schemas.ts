/**
 * Zod schemas of Linear's records and of the parameters of its actions, for each entity.
 * @module agent-connectors/linear/schemas
 */
import { type EntitySchemas, schemasOf } from '../../src/authoring.js';
import * as entities from './entities.js';
import type { LinearConnector } from './index.js';

type Entities = (typeof LinearConnector)['manifest']['entities'];

/** Schemas of `issues`. */
export const issues: EntitySchemas<Entities['issues']> = schemasOf(entities.issues);
/** Schemas of `projects`. */
export const projects: EntitySchemas<Entities['projects']> = schemasOf(entities.projects);
/** Schemas of `teams`. */
export const teams: EntitySchemas<Entities['teams']> = schemasOf(entities.teams);
/** Schemas of `workflow_states`. */
export const workflow_states: EntitySchemas<Entities['workflow_states']> = schemasOf(entities.workflow_states);
/** Schemas of `users`. */
export const users: EntitySchemas<Entities['users']> = schemasOf(entities.users);
/** Schemas of `comments`. */
export const comments: EntitySchemas<Entities['comments']> = schemasOf(entities.comments);
