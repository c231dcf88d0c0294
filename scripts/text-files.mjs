/** Files that are included as text: prompts, the code of workers, and pages for MCP clients. */
export const textFiles = { '.md': 'text', '.worker.js': 'text', '.page.js': 'text' };
