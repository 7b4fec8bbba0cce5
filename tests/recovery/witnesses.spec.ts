import { expect } from '@playwright/test';
import { runOperatorProgram } from '../support/operator-program';
import { falsify, loseRequest, type RpcProxy, startRpcProxy } from '../support/rpc-proxy';
import { test as onOwnChain } from './rig/own-chain';
import { ask, sign } from './rig/requests';

/** A server that uses two RPC nodes of one chain: `rig.base` first, then `second`. */
const test = onOwnChain.extend<{ second: RpcProxy }>({
  second: async ({ rig }, use) => {
    const second = await startRpcProxy(rig.chainUrl('base'));
    await rig.start({ BASE_RPC_URL: `${rig.base.url},${second.url}` });
    await use(second);
    await second.close();
  },
});

test('the audit asks every RPC: one that hides transfers is reported, and one that fails is left out', async ({
  rig,
  second,
}) => {
  const wallet = await rig.newEvmPayer();
  expect((await ask(await sign(rig, wallet))).status).toBe(200);
  const env = { ...rig.operatorSettings, BASE_RPC_URL: `${rig.base.url},${second.url}` };
  const audit = () => runOperatorProgram(env, 'audit', '--from-block', String(rig.firstBlock));
  const hidden = rig.base.on(
    'eth_getLogs',
    falsify(() => []),
  );
  const reported = await audit();
  expect(reported).toMatchObject({ exitCode: 1, errors: '' });
  expect(reported.output).toMatch(
    new RegExp(
      `^broken: the nodes of a network have the same transfers \\(base ${wallet.address} 0x[0-9a-f]{64} 5000 in 0x[0-9a-f]{64}: only RPC 2 of 2\\)\n1 finding\n$`,
    ),
  );
  expect(hidden.hits).toBeGreaterThan(0);
  hidden.remove();
  const failing = rig.base.on('*', loseRequest);
  expect(await audit()).toMatchObject({
    exitCode: 0,
    output: 'The ledger and the chains agree.\n',
    errors: 'base: RPC 1 of 2 did not answer and is left out\n',
  });
  expect(failing.hits).toBeGreaterThan(0);
  second.on('*', loseRequest);
  expect(await audit()).toMatchObject({ exitCode: 1, output: '' });
});
