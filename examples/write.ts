// #region write
import { LinearConnector } from 'agent-connectors/linear';

const linear = new LinearConnector({ credentials: { api_key: process.env.LINEAR_API_KEY ?? '' } });

const { data: teams } = await linear.teams.list();
const { data: created } = await linear.issues.create({
  teamId: teams[0]!.id,
  title: 'Sign-in fails on Safari',
  description: '1. Open the page\n2. **Nothing happens**',
  priority: 2,
});

// Omitted fields stay unchanged; null clears a field.
await linear.issues.update({ id: created.issue.id, priority: 1, assigneeId: null });
await linear.comments.create({ issueId: created.issue.id, body: 'Reproduced on Safari 19.' });
console.log(created.issue.url);
// #endregion
