/** Builds the local MCP adapter into `packages/client/dist` and `dist/adapter` below a folder, which is that of the project by default. */
export function buildMcp(root?: string): Promise<void>;
