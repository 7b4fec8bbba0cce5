import { Stopped } from '@/app/_wallets/stopped';
import type { SigningAnswers, SigningStep } from '@/lib/operator/console/refunds';
import { ids } from '../_page/signing-state';

/** The steps of signing, which the server carries out. */

const waitMs = 2_000;

/**
 * Sends a step to the server.
 * @param unreachable called when the server does not answer; the step is then sent again, because every step may be
 *   repeated. Without it, no answer is a problem
 * @throws Stopped with what the server says is wrong
 */
export async function takeStep<Step extends SigningStep['step']>(
  step: Extract<SigningStep, { step: Step }>,
  unreachable?: () => void,
): Promise<SigningAnswers[Step]> {
  for (;;) {
    const response = await post(step);
    if (response && response.status < 500) return read<Step>(response);
    if (!unreachable)
      throw new Stopped('The service could not be reached. Reload this page, and sign again.');
    unreachable();
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

function post(step: SigningStep): Promise<Response | null> {
  const token = document.querySelector<HTMLInputElement>(`#${ids.form} input[name="form"]`)?.value ?? '';
  const body = new URLSearchParams({ form: token, step: JSON.stringify(step) });
  return fetch(location.pathname, { method: 'POST', body }).catch(() => null);
}

async function read<Step extends SigningStep['step']>(response: Response): Promise<SigningAnswers[Step]> {
  const answer = await response.json().catch(() => null);
  if (response.ok && answer !== null) return answer;
  if (typeof answer?.problem === 'string') throw new Stopped(answer.problem);
  // The console answers with a page when there is no session.
  throw new Stopped('Your session has ended. Reload this page to sign in and continue.');
}
