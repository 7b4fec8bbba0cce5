type Call = readonly [method: string, params: readonly unknown[]];
type RpcResponse = { id: number; result?: unknown; error?: { code: number; message: string } };

/** Sends several JSON-RPC calls in one request and returns their results in order; throws on the first error. */
export async function rpcBatch(url: string, calls: readonly Call[]): Promise<unknown[]> {
  if (calls.length === 0) return [];
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))),
  });
  const answers = (await response.json()) as RpcResponse[];
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  return calls.map(([method], id) => {
    const answer = byId.get(id);
    if (!answer || answer.error) throw new Error(`${method}: ${answer?.error?.message ?? 'no answer'}`);
    return answer.result;
  });
}

/** Sends one JSON-RPC call; throws an error that names the method if the call fails. */
export async function rpcCall(
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<unknown> {
  const [result] = await rpcBatch(url, [[method, params]]);
  return result;
}
