const open = `import { LinearConnector } from 'agent-connectors/linear';
const linear = new LinearConnector({ credentials: { api_key: 'lin_api_key' } });
`;
const drive = `import { GoogleDriveConnector } from 'agent-connectors/google-drive';
const drive = new GoogleDriveConnector();
`;
const analytics = `import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
const analytics = new GoogleAnalyticsConnector();
`;
const service = `import { AgentConnectors } from 'agent-connectors/hosted';
const service = new AgentConnectors();
`;

/** User programs, each with the cursor at a place where an editor is asked for help. */
export const places = {
  'hover: class': "import { Linear¦Connector } from 'agent-connectors/linear';",
  'hover: entity': `${open}linear.iss¦ues;`,
  'hover: action': `${open}linear.issues.li¦st();`,
  'hover: parameter': `${open}linear.issues.list({ fir¦st: 10 });`,
  'hover: parameter of execute': `${open}linear.execute('issues', 'update', { id: 'ENG-1', prio¦rity: 1 });`,
  'hover: parameter that clears': `${open}linear.issues.update({ id: 'ENG-1', assign¦eeId: null });`,
  'hover: field of a result': `${open}const { data } = await linear.issues.get({ id: 'ENG-1' });\ndata.prio¦rity;`,
  'hover: field of execute': `${open}const { data } = await linear.execute('issues', 'list');\ndata[0]?.identi¦fier;`,
  'hover: field of meta': `${open}const { meta } = await linear.issues.list();\nmeta.end¦Cursor;`,
  'hover: result': `${open}const pa¦ge = await linear.issues.list();`,
  'hover: option of a connector':
    "import { LinearConnector } from 'agent-connectors/linear';\nnew LinearConnector({ time¦outMs: 5000 });",
  'hover: credential':
    "import { LinearConnector } from 'agent-connectors/linear';\nnew LinearConnector({ credentials: { api_k¦ey: 'x' } });",
  'hover: parameter of a search': `${open}linear.issues.context_store_search({ query: {}, lim¦it: 5 });`,
  'hover: execute': `${open}linear.exec¦ute('issues', 'list');`,
  'hover: constructor':
    "import { LinearConnector } from 'agent-connectors/linear';\nnew Linear¦Connector({ credentials: { api_key: 'x' } });",
  'hover: file': `${drive}drive.files.li¦st({ pageSize: 10 });`,
  'signatures: action': `${open}linear.issues.list(¦)`,
  'signatures: execute': `${open}linear.execute(¦)`,
  'signatures: action of execute': `${open}linear.execute('issues', 'get', ¦)`,
  'completion: entities': `${open}linear.¦`,
  'completion: actions': `${open}linear.issues.¦`,
  'completion: parameters': `${open}linear.issues.list({ ¦ });`,
  'completion: options': `${open}linear.issues.list({}, { ¦ });`,
  'completion: options of execute': `${open}linear.execute('issues', 'list', {}, { ¦ });`,
  'completion: options of a search': `${open}linear.issues.context_store_search({ query: {} }, { ¦ });`,
  'completion: options of a paginated list': `${open}linear.paginate('issues', 'list', {}, { ¦ });`,
  'completion: entities of execute': `${open}linear.execute('¦');`,
  'completion: actions of execute': `${open}linear.execute('issues', '¦');`,
  'completion: parameters of execute': `${open}linear.execute('issues', 'list', { ¦ });`,
  'completion: fields': `${open}for (const issue of (await linear.issues.list()).data) issue.¦`,
  'completion: paths of selectFields': `${open}linear.issues.list({}, { selectFields: ['¦'] });`,
  'completion: conditions of a search': `${open}linear.issues.context_store_search({ query: { filter: { eq: { ¦ } } } });`,
  'completion: options of a connector':
    "import { LinearConnector } from 'agent-connectors/linear';\nnew LinearConnector({ ¦ });",
  'completion: connector types': `${service}service.connectors.create({ connector_type: '¦' });`,
  'completion: replication_config': `${service}service.connectors.create({ connector_type: 'google-drive', replication_config: { ¦ } });`,
  'completion: entities to replicate': `${service}service.connectors.create({ connector_type: 'linear', replication_config: { entities: ['¦'] } });`,
  'completion: dimensions': `${analytics}analytics.pages.list({ property_id: '1', dimensions: [{ name: '¦' }] });`,
  'completion: export formats': `${drive}drive.files_export.download({ fileId: 'x', mimeType: '¦' });`,
  'definition: entity': `${open}linear.iss¦ues;`,
  'definition: action': `${open}linear.issues.crea¦te({ teamId: '', title: '' });`,
  'definition: file action': `${drive}drive.files.ge¦t({ fileId: '' });`,
  'definition: parameter': `${open}linear.issues.list({ fir¦st: 10 });`,
  'definition: field': `${open}const { data } = await linear.issues.get({ id: 'ENG-1' });\ndata.prio¦rity;`,
} as const;
