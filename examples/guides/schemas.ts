/** Checks the input of a form and builds a schema of one's own with the schemas of Linear's entities. */
// #region schemas
import { issues } from 'agent-connectors/linear/schemas';
import * as z from 'zod';

// Checks values from a form or a model before a call.
const Form = issues.params.create.pick({ teamId: true, title: true, priority: true });
const parsed = Form.safeParse({ teamId: 'ENG', title: '', priority: 9 });
console.log(parsed.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));

// Part of a record, with a field of your own.
const Ticket = issues.record.pick({ identifier: true, title: true }).extend({ customer: z.string() });
type Ticket = z.infer<typeof Ticket>;

// JSON Schema, for a model's tool or another language.
console.log(z.toJSONSchema(issues.params.create, { io: 'input' }));
// #endregion

const ticket: Ticket = { identifier: 'ENG-1', title: 'Sign-in fails on Safari', customer: 'Acme' };
console.log(Ticket.parse(ticket).customer);
