import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { newClientWallet, runClient, startClient } from '../mcp/client';
import { expect, test } from './fixtures';
import { expectPaidAndDeliveredOnce, uploadsOf } from './rig/found';
import { until } from './rig/waiting';

test.setTimeout(180_000);

for (const at of ['before', 'after'] as const) {
  test(`the service is killed ${at} it broadcasts the payment of a client's command: the command is charged once`, async ({
    rig,
  }) => {
    const home = await mkdtemp(path.join(tmpdir(), 'tuppence-client-'));
    try {
      await writeFile(path.join(home, 'note.txt'), randomUUID());
      const { account, env } = await newClientWallet();
      const machine = {
        home,
        env: { HOME: home, XDG_CONFIG_HOME: home, TUPPENCE_API_URL: rig.apiUrl, ...env },
      };
      const command = ['upload', 'note.txt', '--json'];
      const held = rig.base.hold('eth_sendRawTransaction', at);
      const { done } = startClient(machine, command);
      await held.reached;
      await rig.kill();
      held.abandon();
      await rig.passTakeoverTime();
      await rig.start();
      const first = await done;
      // The client may have given up. Then it says that the same command continues the call.
      if (first.code !== 0) expect(first.code).toBe(5);
      const last =
        first.code === 0
          ? first
          : await until('the response', async () => {
              const run = await runClient(machine, command);
              return run.code === 0 ? run : null;
            });
      expect([JSON.parse(last.stdout).id]).toEqual(await uploadsOf(rig, account.address));
      await expectPaidAndDeliveredOnce(rig, account.address);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
}
