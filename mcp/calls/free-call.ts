import { useAccount } from '../account/accounts';
import type { Adapter } from '../adapter';
import { type ApiRequest, callApi } from '../api';
import { refuse, ToolError } from '../tool-error';

const timeoutMs = 20_000;
const attempts = 3;

/**
 * Makes a free call with the account token. Such calls can be retried safely.
 * @throws ToolError
 */
export async function callForFree(
  adapter: Adapter,
  request: Pick<ApiRequest, 'method' | 'path'>,
  signal: AbortSignal,
): Promise<unknown> {
  const { token } = await useAccount(adapter);
  const { apiUrl } = adapter.settings;
  for (let attempt = 1; ; attempt += 1) {
    const result = await callApi(apiUrl, { ...request, token }, timeoutMs);
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
