import { everyType } from '../support/forms';
import { expect, test } from './fixtures';
import { transfersOf } from './rig/found';
import { ask, persist, type SignedRequest, sign } from './rig/requests';
import type { Rig, Wallet } from './rig/rig';

/** A signed request for a form, with an idempotency key of the buyer's own. */
async function signForm(rig: Rig, wallet: Wallet): Promise<SignedRequest> {
  const request = await sign(rig, wallet, { path: '/forms', body: JSON.stringify(everyType) });
  const headers = { ...request.init.headers, 'Idempotency-Key': `key-of-${wallet.address}` };
  return { ...request, init: { ...request.init, headers } };
}

for (const { what, text, code } of [
  { what: 'the claim', text: 'INSERT INTO paid_call (', code: 'form_settlement_unknown' },
  { what: 'the form', text: 'INSERT INTO "public"."form" (', code: 'form_effect_pending' },
]) {
  test(`when the response to ${what} is lost, the buyer gets ${code}, and the same request ends with one form and its token`, async ({
    rig,
  }) => {
    const wallet = await rig.newEvmPayer();
    const request = await signForm(rig, wallet);
    const lost = rig.database.loseAnswerTo(text);
    const first = await ask(request);
    await lost;
    expect(first.status).toBe(503);
    expect(first.body.error).toMatchObject({ code, retry: 'same_request', paidCallId: expect.any(String) });
    expect(first.headers.get('retry-after')).toBeTruthy();
    const last = await persist(request);
    expect(last.status).toBe(200);
    expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
    const paidCallId = first.body.error.paidCallId;
    const forms = await rig.query('SELECT id FROM form WHERE paid_call_id = $1', [paidCallId]);
    expect(forms).toEqual([{ id: last.body.id }]);
    const answers = await fetch(last.body.responsesUrl, {
      headers: { Authorization: `Bearer ${last.body.readToken}` },
    });
    expect(answers.status).toBe(200);
    expect(await rig.audit()).toEqual([]);
  });
}
