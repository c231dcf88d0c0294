/**
 * Zod schemas of Google Analytics's records and of the parameters of its actions, for each entity.
 * @module agent-connectors/google-analytics/schemas
 */
import { type EntitySchemas, schemasOf } from '../../src/authoring.js';
import * as entities from './entities.js';
import type { GoogleAnalyticsConnector } from './index.js';

type Entities = (typeof GoogleAnalyticsConnector)['manifest']['entities'];

/** Schemas of `website_overview`. */
export const website_overview: EntitySchemas<Entities['website_overview']> = schemasOf(entities.website_overview);
/** Schemas of `daily_active_users`. */
export const daily_active_users: EntitySchemas<Entities['daily_active_users']> = schemasOf(entities.daily_active_users);
/** Schemas of `weekly_active_users`. */
export const weekly_active_users: EntitySchemas<Entities['weekly_active_users']> = schemasOf(
  entities.weekly_active_users,
);
/** Schemas of `four_weekly_active_users`. */
export const four_weekly_active_users: EntitySchemas<Entities['four_weekly_active_users']> = schemasOf(
  entities.four_weekly_active_users,
);
/** Schemas of `traffic_sources`. */
export const traffic_sources: EntitySchemas<Entities['traffic_sources']> = schemasOf(entities.traffic_sources);
/** Schemas of `pages`. */
export const pages: EntitySchemas<Entities['pages']> = schemasOf(entities.pages);
/** Schemas of `devices`. */
export const devices: EntitySchemas<Entities['devices']> = schemasOf(entities.devices);
/** Schemas of `locations`. */
export const locations: EntitySchemas<Entities['locations']> = schemasOf(entities.locations);
