import { isStartedByNext } from '../support/started-by';
import { expect, test } from './fixtures';
import { newPayer, paymentMethods, signFor } from './rig/payment-methods';
import { ask } from './rig/requests';

/** The clock of a server's machine is wrong, or is set while it runs. What is sold, and when it is due, goes by the database's clock. */

test.skip(isStartedByNext, 'a process of its own has the time of this machine');

for (const [title, aheadMs] of [
  ['ten minutes ahead', 600_000],
  ['ten minutes behind', -600_000],
] as const)
  test(`a server whose machine is set ${title} serves every rail, and writes the time of the database`, async ({
    comparedRig: rig,
  }) => {
    await rig.server().setTime?.(aheadMs);
    for (const method of paymentMethods) {
      const request = await signFor(method, rig, await newPayer(rig, method));
      const { status, body } = await ask(request);
      expect([method, status]).toEqual([method, 200]);
      const [row] = await rig.query<{ late: number }>(
        `SELECT abs(EXTRACT(epoch FROM now() - moved_at))::float8 AS late FROM paid_call WHERE payer = $1`,
        [request.payer],
      );
      expect(row?.late).toBeLessThan(60);
      expect(Date.parse(String(body.expiresAt))).toBeGreaterThan(Date.now());
    }
    await rig.server().setTime?.(0);
  });
