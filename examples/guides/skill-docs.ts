import { LinearConnector } from 'agent-connectors/linear';
import { skillDocs } from 'agent-connectors/tools';

const linear = new LinearConnector({ credentials: { api_key: process.env.LINEAR_API_KEY ?? '' } });
const docs = await skillDocs(linear);
console.log(docs.id, docs.hash.slice(0, 8), docs.outline.length);
console.log(docs.section('actions.issues.create').text);
