/**
 * Zod schemas of Granola's records and of the parameters of its actions, for each entity.
 * @module agent-connectors/granola/schemas
 */
import { type EntitySchemas, schemasOf } from '../../src/authoring.js';
import type { GranolaConnector } from './index.js';
import * as noteEntities from './notes.js';

type Entities = (typeof GranolaConnector)['manifest']['entities'];

/** Schemas of `notes`. */
export const notes: EntitySchemas<Entities['notes']> = schemasOf(noteEntities.notes);
