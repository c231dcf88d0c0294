import type { Result } from 'agent-connectors';
import type { ToolConnector } from 'agent-connectors/tools';
import type { ConnectorRow } from '../../data/state/rows.js';
import { runWithApproval } from '../../domain/calls/call.js';
import { inspectionOf } from '../../domain/connectors/inspection.js';
import { asConnectorError, isInternal } from '../../domain/http-error.js';
import type { Services } from '../api/route.js';

/** Maximum length of a recorded intent, same as over HTTP. */
const maxIntentLength = 512;

/** Adapts a service connector to the interface that tools expect. */
export function connectorOf(row: ConnectorRow, services: Services): ToolConnector {
  const definition = services.definitions.of(row.type);
  const unconfigured = definition.make({});
  return {
    describe: () => definition.description,
    following: (...page) => unconfigured.following?.(...page),
    guide: async () => (await unconfigured.guide?.()) ?? '',
    inspect: async () => inspectionOf(row, services),
    check: async (...call) => unconfigured.check?.(...call),
    approvedElsewhere: async (entity, action) => Boolean(await services.gate.approvalOf(row, entity, action)),
    onDenied: (entity, action) => services.gate.recordDenial({ row, entity, action }),
    async execute(entity, action, params, { signal, selectFields, excludeFields, intent, idempotencyKey } = {}) {
      const shaping = { select_fields: selectFields, exclude_fields: excludeFields };
      const input = { entity, action, params, intent: intent?.slice(0, maxIntentLength), ...shaping };
      try {
        return (await runWithApproval({ row, input, dependencies: services }, signal, idempotencyKey)) as Result;
      } catch (failure) {
        if (!isInternal(failure)) throw asConnectorError(failure);
        // Calls have no request id of their own because one session carries many calls.
        services.report(failure, 'mcp');
        throw failure;
      }
    },
  };
}
