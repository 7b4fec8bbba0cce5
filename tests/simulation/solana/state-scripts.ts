import { solanaNetwork } from '@/local/networks';
import { type Script, signatureOf } from './scripts';

const { usdc } = solanaNetwork;

/** Scripts about blockhashes, and about what is read of accounts, blocks and the cluster. */
export const stateScripts: readonly Script[] = [
  {
    about: 'a transfer whose blockhash has expired',
    async run(stage) {
      await stage.fund();
      const transaction = await stage.transfer();
      const { recentBlockhash } = transaction.message;
      await stage.ask('isBlockhashValid', [recentBlockhash, { commitment: 'confirmed' }]);
      await stage.ask('getFeeForMessage', [messageOf(transaction), { commitment: 'confirmed' }]);
      // Longer than a blockhash lives, and than its own block takes to be final.
      await stage.chain.pass(200);
      await stage.ask('isBlockhashValid', [recentBlockhash, { commitment: 'confirmed' }]);
      await stage.ask('getFeeForMessage', [messageOf(transaction), { commitment: 'confirmed' }]);
      await stage.follow(transaction);
    },
  },
  {
    about: 'the same payment with two signatures of its fee payer',
    async run(stage) {
      await stage.fund();
      const transaction = await stage.transfer();
      await stage.send(transaction, { skipPreflight: true });
      await stage.settle();
      transaction.signatures[0]?.fill(7);
      await stage.follow(transaction);
    },
  },
  {
    about: 'two transfers that the balance does not cover together',
    async run(stage) {
      await stage.fund();
      const [one, other] = [
        await stage.transfer({ atomic: 3_000_000n }),
        await stage.transfer({ atomic: 2_500_000n }),
      ];
      await stage.send(one, { skipPreflight: true });
      await stage.send(other, { skipPreflight: true });
      await stage.settle();
      const signatures = [one, other].map(signatureOf);
      await stage.ask('getSignatureStatuses', [signatures, { searchTransactionHistory: true }]);
      for (const signature of signatures)
        await stage.ask('getTransaction', [signature, { maxSupportedTransactionVersion: 0 }]);
      const account = stage.tokenAccount('payer');
      await stage.ask('getSignaturesForAddress', [account]);
      for (const config of [{ limit: 1 }, { before: signatures[1] }, { until: signatures[0] }, { limit: 0 }])
        await stage.ask('getSignaturesForAddress', [account, config]);
      await stage.ask('getSignaturesForAddress', [account, { minContextSlot: 1e9 }]);
      await stage.ask('getTokenAccountBalance', [account]);
    },
  },
  {
    about: 'accounts',
    async run(stage) {
      await stage.fund();
      const account = stage.tokenAccount('payer');
      for (const address of [account, stage.address('payer'), stage.address('x'), 'nonsense'])
        for (const encoding of [undefined, 'base64', 'jsonParsed'])
          await stage.ask('getAccountInfo', [address, { encoding }]);
      await stage.ask('getAccountInfo', [
        account,
        { encoding: 'base64', dataSlice: { offset: 64, length: 8 } },
      ]);
      await stage.ask('getAccountInfo', [usdc, { encoding: 'jsonParsed' }]);
      await stage.ask('getMultipleAccounts', [[account, stage.address('x'), stage.address('payer')]]);
      for (const address of [account, usdc, stage.address('x'), stage.address('fee payer')]) {
        await stage.ask('getTokenAccountBalance', [address]);
        await stage.ask('getBalance', [address]);
      }
      const owners = ['payer', 'payee', 'x'].map((role) => stage.address(role));
      for (const owner of owners) {
        await stage.ask('getTokenAccountsByOwner', [owner, { mint: usdc }, { encoding: 'base64' }]);
        await stage.ask('getTokenAccountsByOwner', [owner, { mint: usdc }, { encoding: 'jsonParsed' }]);
        await stage.ask('getTokenAccountsByOwner', [owner, { mint: owner }, { encoding: 'base64' }]);
      }
      await stage.ask('getTokenAccountsByOwner', [owners[0], {}]);
      await stage.ask('getMinimumBalanceForRentExemption', [165]);
    },
  },
  {
    about: 'the cluster',
    async run(stage) {
      await stage.settle();
      await stage.ask('getGenesisHash');
      await stage.ask('getVersion');
      await stage.ask('getHealth');
      await stage.ask('getNothing');
      for (const commitment of ['processed', 'confirmed', 'finalized', undefined]) {
        await stage.ask('getEpochInfo', [{ commitment }]);
        await stage.ask('getLatestBlockhash', [{ commitment }]);
      }
      await stage.ask('getSlot', [{ commitment: 'nonsense' }]);
      for (const method of ['getSlot', 'getBlockHeight', 'getLatestBlockhash'])
        await stage.ask(method, [{ commitment: 'confirmed', minContextSlot: 1e9 }]);
      await stage.ask('isBlockhashValid', [stage.address('x'), { commitment: 'confirmed' }]);
      await stage.ask('getSignatureStatuses', [Array.from({ length: 257 }, () => 'x')]);
      await stage.ask('getTransaction', [stage.address('x'), { maxSupportedTransactionVersion: 0 }]);
      await stage.ask('getSignaturesForAddress', [stage.address('x')]);
      await stage.ask('sendTransaction', ['0', { encoding: 'base64' }]);
      await stage.ask('sendTransaction', ['AAAA', { encoding: 'base85' }]);
      await stage.ask('sendTransaction', [Buffer.alloc(1_300).toString('base64'), { encoding: 'base64' }]);
    },
  },
  {
    about: 'blocks',
    async run(stage) {
      await stage.fund();
      const transaction = await stage.transfer();
      await stage.send(transaction, { skipPreflight: true });
      await stage.settle();
      const statuses = (await stage.ask('getSignatureStatuses', [
        [signatureOf(transaction)],
        { searchTransactionHistory: true },
      ])) as { result: { value: { slot: number }[] } };
      const slot = statuses.result.value[0]?.slot ?? 0;
      const config = { transactionDetails: 'signatures', rewards: false };
      await stage.ask('getBlock', [slot, config]);
      await stage.ask('getBlock', [slot + 1, { ...config, commitment: 'confirmed' }]);
      await stage.ask('getBlock', [slot, { ...config, commitment: 'processed' }]);
      await stage.ask('getBlock', [900_000_000, config]);
    },
  },
];

function messageOf({ message }: { message: { serialize(): Uint8Array } }): string {
  return Buffer.from(message.serialize()).toString('base64');
}
