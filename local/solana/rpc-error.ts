/** An error with a code of the Solana JSON-RPC interface. */
export class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** JSON-RPC 2.0, 5.1: Invalid params. */
export const invalidParams = (message: string) => new RpcError(-32602, message);
