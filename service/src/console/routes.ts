import { type Route, route } from '../http/route.js';
import { openOverview, type ReadOverview } from './overview.js';
import { ClientsAnswer, OverviewAnswer } from './schemas.js';

const overviews = new WeakMap<object, ReadOverview>();

const overview = route({
  method: 'GET',
  path: '/api/v1/overview',
  operationId: 'getOverview',
  summary: 'How all connectors do: health, readiness, records, and the newest job of each.',
  access: 'organization',
  answer: OverviewAnswer,
  async handle({ scope, services }) {
    const read = overviews.get(services) ?? openOverview(services);
    overviews.set(services, read);
    return { data: await read(scope) };
  },
});

const clients = route({
  method: 'GET',
  path: '/api/v1/clients',
  operationId: 'listClients',
  summary: 'The clients of the organization.',
  access: 'account',
  answer: ClientsAnswer,
  handle: ({ caller, scope, services: { state } }) => ({
    data: state.clients
      .list()
      .filter(({ organizationIds }) => organizationIds.includes(scope.organizationId))
      .map(({ id, name, createdAt }) => ({ id, name, created_at: createdAt, own: id === caller.client.id })),
  }),
});

/** What the console shows beyond the routes of connectors. */
export const consoleRoutes: readonly Route[] = [overview, clients];
