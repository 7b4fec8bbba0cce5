import { useAccount } from '../account/accounts';
import type { Adapter } from '../adapter/adapter';
import { type ApiRequest, callApi } from '../api';
import { refuse, ToolError } from '../tool-error';

const timeoutMs = 20_000;
const attempts = 3;

/**
 * Makes a free call with the account token, with a token specific to the call, or, if it is public, with none. Such calls can be retried safely.
 * @param waitMs how long the service may wait before it responds
 * @throws ToolError
 */
export async function callForFree(
  adapter: Adapter,
  { isPublic = false, ...request }: Pick<ApiRequest, 'method' | 'path' | 'token'> & { isPublic?: boolean },
  signal: AbortSignal,
  waitMs = 0,
): Promise<unknown> {
  const token = isPublic
    ? undefined
    : (request.token ?? adapter.payer?.token ?? (await useAccount(adapter)).token);
  const { apiUrl } = adapter.settings;
  for (let attempt = 1; ; attempt += 1) {
    const result = await callApi(apiUrl, { ...request, token }, timeoutMs + waitMs);
    if (result.kind === 'ok') return result.body;
    if (result.kind === 'refused') throw new ToolError(result.error);
    if (attempt === attempts || signal.aborted) {
      throw refuse('service_unreachable', `${apiUrl} did not respond. Try again later.`, {
        retry: 'later',
        cause: result.cause,
      });
    }
  }
}
