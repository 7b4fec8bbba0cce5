/** Headers of a response as the rails write them. */
export type ApiHeaders = Readonly<Record<string, string>>;

/** What a challenge says about the MCP tool that it is for. */
export interface ToolOffer {
  readonly name: string;
  readonly inputSchema: object;
  readonly example: Record<string, unknown>;
  readonly outputExample: unknown;
}
