import { type ConnectorDescription, ConnectorError, connectors } from 'agent-connectors';
import * as aiSdk from 'agent-connectors/ai-sdk';
import * as anthropic from 'agent-connectors/anthropic';
import { GongConnector } from 'agent-connectors/gong';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import type { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import { AgentConnectors } from 'agent-connectors/hosted';
import * as langchain from 'agent-connectors/langchain';
import { type Issue, LinearConnector } from 'agent-connectors/linear';
import * as mcp from 'agent-connectors/mcp';
import { save } from 'agent-connectors/node';
import * as openai from 'agent-connectors/openai';
import * as replication from 'agent-connectors/replication';
import * as setup from 'agent-connectors/setup';
import { createAgentTools } from 'agent-connectors/tools';

const linear = new LinearConnector({ credentials: { api_key: 'k' } });
const { data } = await linear.execute('issues', 'list', { first: 10 });
export const issues: Issue[] = data;
export const title: string | null | undefined = data[0]?.title;
// @ts-expect-error The entity does not have this action.
await linear.execute('issues', 'lisp').catch((error: unknown) => ConnectorError.is(error) && error.code);
// @ts-expect-error The parameter has the wrong type.
export const wrong = () => linear.execute('issues', 'list', { first: 'ten' });
export const description: ConnectorDescription = GongConnector.describe();
export const all = [
  GoogleAnalyticsConnector,
  GranolaConnector,
  AgentConnectors,
  connectors,
  aiSdk,
  anthropic,
  langchain,
  mcp,
  openai,
  replication,
  setup,
];
export const tools = createAgentTools([linear]);
export const saved = async (drive: InstanceType<typeof GoogleDriveConnector>) =>
  save(await drive.files.download({ fileId: 'x' }), '.');
