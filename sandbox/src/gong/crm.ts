import { company } from '../company.js';
import { Random } from '../random.js';
import type { CallRow } from './rows.js';

/** A call's CRM context, if there is a customer. */
export function contextOf({ occasion, seed }: CallRow, context: string, timings: readonly unknown[]): object[] {
  const { customer, project } = occasion;
  if (customer === null) return [];
  // A customer has the same ids in every call.
  const account = new Random([...customer].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7));
  const accountId = `001${account.uuid().replaceAll('-', '').slice(0, 15)}`;
  const opportunityId = `006${account.uuid().replaceAll('-', '').slice(0, 15)}`;
  const amount = account.between(20, 90) * 1_000;
  const random = new Random(seed ^ 0xc41);
  const objects = timings.flatMap((timing) => [
    {
      objectType: 'Account',
      objectId: accountId,
      fields: context === 'Basic' ? [] : [field('Name', customer), field('Industry', null)],
      timing,
    },
    {
      objectType: 'Opportunity',
      objectId: opportunityId,
      fields:
        context === 'Basic'
          ? []
          : [
              field('Name', `${customer}: ${project ?? company.product}`),
              field('Amount', timing === 'TimeOfCall' ? amount - 5_000 : amount),
              field('StageName', timing === 'TimeOfCall' ? 'Discovery' : random.pick(['Proposal', 'Closed Won'])),
            ],
      timing,
    },
  ]);
  return [{ system: 'Salesforce', objects }];
}

function field(name: string, value: string | number | null) {
  return { name, value };
}
