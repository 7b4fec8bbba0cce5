/** Builds the local MCP adapter into `mcp/dist` and `dist/adapter` below a folder, which is that of the project by default. */
export function buildMcp(root?: string): Promise<void>;
