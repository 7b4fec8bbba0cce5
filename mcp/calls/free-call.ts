import { useAccount } from '../account/accounts';
import type { Adapter } from '../adapter';
import { type ApiRequest, callApi } from '../api';
import { refuse, ToolError } from '../tool-error';

const timeoutMs = 20_000;
const attempts = 3;

/**
 * Makes a call that costs nothing and may be repeated as often as one likes, with the token of the account.
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
    const answer = await callApi(apiUrl, { ...request, token }, timeoutMs);
    if (answer.kind === 'answered') return answer.body;
    if (answer.kind === 'refused') throw new ToolError(answer.error);
    if (attempt === attempts || signal.aborted) {
      throw refuse('service_unreachable', `${apiUrl} did not answer.`, {
        retry: 'later',
        cause: answer.cause,
      });
    }
  }
}
