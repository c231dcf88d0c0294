/**
 * Agent tools as plain objects for any framework.
 * @module agent-connectors/tools
 */
export { type AgentTool, createAgentTools, type ToolResult } from './agent-tools.js';
export type { Approve, Decision, PendingWrite } from './approval.js';
export type { Chunk } from './chunk.js';
export type { ToolDefinition } from './definitions.js';
export type { OnFile, StoredFile, ToolFile } from './file.js';
export type { HandleSigner } from './handle.js';
export type { AgentToolsOptions } from './options.js';
export type { SearchAll, SearchAllHit, SearchAllHits, SearchAllQuery } from './search-tool.js';
export { type Documented, type SectionTitle, type SkillDocs, type SkillSection, skillDocs } from './skill-docs.js';
export { type CountTokens, estimateTokens } from './tokens.js';
export type { ToolConnector, ToolConnectors } from './toolset.js';
