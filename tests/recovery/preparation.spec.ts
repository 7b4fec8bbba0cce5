import { minimalHtml } from '../support/pdf';
import { databaseFaults } from './crash-points/actions';
import { offer } from './crash-points/scenarios';
import { expect, test } from './fixtures';
import { callsOf, transfersOf } from './rig/found';
import { ask, type Order, persist, sign } from './rig/requests';
import { until } from './rig/waiting';

/** Operations that are prepared before they are charged. `of` receives the id of an upload of the same wallet. */
const prepared: readonly { what: string; of: (id: string) => Order }[] = [
  { what: 'a PDF', of: () => ({ path: '/render/pdf', body: JSON.stringify({ html: minimalHtml }) }) },
  { what: 'a renewal', of: (id) => ({ path: `/uploads/${id}/renew` }) },
  { what: 'a deletion', of: (id) => ({ path: `/uploads/${id}`, method: 'DELETE' }) },
  { what: 'a flight offer', of: offer },
];

const withoutServer = databaseFaults.filter(({ kills }) => !kills);

for (const { what, of } of prepared) {
  test(`${what} whose preparation may or may not be recorded gets "nothing was charged" only if nothing is charged before the retry`, async ({
    rig,
  }) => {
    for (const fault of withoutServer) {
      const wallet = await rig.newEvmPayer();
      const { body: upload } = await ask(await sign(rig, wallet));
      const request = await sign(rig, wallet, of(upload.id));
      rig.database.intercept((statement) => {
        if (!statement.includes(', prepared = $2')) return null;
        rig.database.intercept(null);
        return fault.make(() => rig.kill());
      });
      const { status, body } = await ask(request);
      const ended = await until(`${fault.what}: an end`, async () => {
        const call = (await callsOf(rig, wallet.address)).at(-1);
        return call && ['refused', 'delivered'].includes(call.state) ? call.state : null;
      });
      const payments = (await transfersOf(rig, wallet.address)).length - 1;
      expect({ ended, payments }, fault.what).toEqual(
        ended === 'refused' ? { ended, payments: 0 } : { ended, payments: 1 },
      );
      if (status !== 200) expect(body.error.payment, fault.what).toBe('unknown');
      expect((await persist(request)).status, fault.what).toBe(200);
      expect(await transfersOf(rig, wallet.address), fault.what).toHaveLength(2);
    }
    expect(await rig.audit()).toEqual([]);
  });
}
