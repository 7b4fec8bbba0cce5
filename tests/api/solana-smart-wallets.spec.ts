import { Keypair, PublicKey, type TransactionInstruction } from '@solana/web3.js';
import { decodePaymentResponseHeader } from '@x402/core/http';
import type { PaymentPayload } from '@x402/core/types';
import { rpcCall } from '@/local/json-rpc';
import { findAssociatedTokenAddress } from '@/local/solana/token-account';
import { balanceOf } from '../support/balances';
import { challengeOf, paymentHeader } from '../support/buyer';
import { callsOf } from '../support/database';
import { expectChallenge, expectError, expectUntouched, startAtomic } from '../support/expectations';
import { aFile } from '../support/files';
import { newSolanaSmartWallet } from '../support/payers';
import { altered, lookupTableWith, memo, smartWalletPayment } from '../support/solana-envelopes';
import { network, stack } from '../support/stack';
import { fullOnly } from '../support/tiers';
import { putFile, type Slot, uploadsUrl } from '../support/uploads';
import { type SolanaSmartWallet, setBehavior, walletInstruction } from '../support/wallet-program/wallet';
import { expect, test } from '../support/without-browser';

/** Payments whose money a program moves on Solana. No key signs for it. */

const on = 'solana-mainnet';

function post(envelope: PaymentPayload, body = aFile().body, headers = {}): Promise<Response> {
  return fetch(uploadsUrl(), { method: 'POST', headers: { ...paymentHeader(envelope), ...headers }, body });
}

const paymentOf = async (wallet: SolanaSmartWallet, change: Change = {}): Promise<PaymentPayload> =>
  smartWalletPayment(await challengeOf(uploadsUrl()), wallet, change);

type Change = Parameters<typeof smartWalletPayment>[2];

/** Expects that a wallet paid nothing, and that no transaction that costs a fee names it. */
async function expectNothingSent(wallet: SolanaSmartWallet, atomic = startAtomic): Promise<void> {
  await expectUntouched(wallet, on, atomic);
  for (const address of [wallet.address, wallet.member.publicKey.toBase58()])
    expect(await rpcCall(network(on).rpcUrl, 'getSignaturesForAddress', [address])).toEqual([]);
}

test('a smart wallet buys an upload at its price, and its vault is the payer', async () => {
  const wallet = await newSolanaSmartWallet();
  const answer = await post(await paymentOf(wallet));
  expect(answer.status, await answer.clone().text()).toBe(200);
  expect(await answer.json()).toMatchObject({ uploadMethod: 'PUT' });
  expect(await balanceOf(wallet, on)).toBe(startAtomic - 5_000n);
  const receipt = decodePaymentResponseHeader(answer.headers.get('payment-response') ?? '');
  expect(receipt).toMatchObject({ success: true, network: network(on).caip2, payer: wallet.address });
  const call = await fetch(`${stack().apiUrl}/v1/paid-calls/${answer.headers.get('paid-call-id')}`);
  expect(await call.json()).toMatchObject({
    state: 'delivered',
    price: '0.005',
    network: on,
    transaction: receipt.transaction,
  });
});

test(
  'a smart wallet renews and deletes what it bought; nobody else can, and pays nothing',
  fullOnly,
  async () => {
    const [owner, stranger] = [await newSolanaSmartWallet(), await newSolanaSmartWallet()];
    const file = aFile();
    const slot: Slot = await (await post(await paymentOf(owner), file.body)).json();
    expect((await putFile(slot, file.bytes)).status).toBe(200);
    const send = async (method: string, path: string, wallet: SolanaSmartWallet) => {
      const url = `${uploadsUrl()}/${path}`;
      const payment = await smartWalletPayment(await challengeOf(url, method), wallet);
      return fetch(url, { method, headers: paymentHeader(payment) });
    };
    for (const [method, path] of [
      ['POST', `${slot.id}/renew`],
      ['DELETE', slot.id],
    ] as const) {
      await expectError(await send(method, path, stranger), 'not_owner');
      // The owner's vault, by a key that may not use it.
      await expectChallenge(
        await send(method, path, { ...owner, member: stranger.member }),
        /simulation_failed$/,
      );
    }
    await expectNothingSent(stranger);
    expect((await send('POST', `${slot.id}/renew`, owner)).status).toBe(200);
    expect((await send('DELETE', slot.id, owner)).status).toBe(200);
    expect(await balanceOf(owner, on)).toBe(startAtomic - 11_000n);
  },
);

test(
  'a repeated request of a smart wallet gets the same response and is not charged, also with a new payment',
  fullOnly,
  async () => {
    const wallet = await newSolanaSmartWallet();
    const payment = await paymentOf(wallet);
    const { body } = aFile();
    const key = { 'Idempotency-Key': 'order-of-a-smart-wallet' };
    const first = await post(payment, body, key);
    const answers = [await post(payment, body, key), await post(await paymentOf(wallet), body, key)];
    expect([first.status, ...answers.map(({ status }) => status)]).toEqual([200, 200, 200]);
    const text = await first.text();
    for (const answer of answers) {
      expect(await answer.text()).toBe(text);
      expect(answer.headers.get('idempotent-replayed')).toBe('true');
    }
    expect(await balanceOf(wallet, on)).toBe(startAtomic - 5_000n);
    expect(await callsOf(wallet.address)).toBe(1);
  },
);

test("nobody else gets a smart wallet's response by naming its vault and guessing its key", async () => {
  const wallet = await newSolanaSmartWallet();
  const { body } = aFile();
  const key = { 'Idempotency-Key': 'order-1' };
  const first = await post(await paymentOf(wallet), body, key);
  expect(first.status).toBe(200);
  const { id } = await first.json();
  // Another wallet of the same program can sign a transaction that succeeds and names the vault.
  const idle = await newSolanaSmartWallet();
  await setBehavior(idle, 'doesNothing');
  for (const [what, by, reason] of [
    ['a key that is not the member', { member: Keypair.generate() }, /simulation_failed$/],
    ['a wallet that does nothing', { member: idle.member, settings: idle.settings }, /no_transfer/],
  ] as const) {
    const answer = await post(await paymentOf({ ...wallet, ...by }), body, key);
    expect(await answer.clone().text(), what).not.toContain(id);
    expect(answer.headers.has('paid-call-id')).toBe(false);
    await expectChallenge(answer, reason, what);
  }
  expect(await balanceOf(wallet, on)).toBe(startAtomic - 5_000n);
  expect(await callsOf(wallet.address)).toBe(1);
});

/** Calls the program again: a second payment in one transaction. */
const again = ({ programId, keys, data }: TransactionInstruction) => ({
  programId,
  keys: [...keys],
  data: Buffer.from(data),
});

/** Payments of a wallet that would pay, each with one thing wrong. */
const wrong: readonly (readonly [string, RegExp, Change])[] = [
  ['pays half', /transfer_mismatch$/, { amount: 2_500n }],
  ['pays twice as much', /transfer_mismatch$/, { amount: 10_000n }],
  ['pays a millionth more', /transfer_mismatch$/, { amount: 5_001n }],
  ['pays nothing', /transfer_mismatch$/, { amount: 0n }],
  [
    'pays the price two times',
    /multiple_matching_transfers$/,
    {
      parts: (parts) => {
        parts.more = parts.more.flatMap((one) => (one.keys.length > 0 ? [one, again(one)] : [one]));
      },
    },
  ],
  [
    'is not signed by its member',
    /could_not_be_decoded$/,
    {
      instruction: ({ keys }) => {
        for (const key of keys) key.isSigner = false;
      },
    },
  ],
  [
    'hands the fee payer to the program',
    /fee_payer_in_instruction$/,
    {
      parts: (parts) => {
        const key = { pubkey: parts.feePayer, isSigner: true, isWritable: true };
        parts.more.find(({ keys }) => keys.length > 0)?.keys.push(key);
      },
    },
  ],
  [
    'hides its settings in a lookup table',
    /could_not_be_decoded$/,
    {
      parts: (parts) => {
        const [settings] = parts.more.find(({ keys }) => keys.length > 0)?.keys ?? [];
        if (settings) parts.lookupTables = [lookupTableWith(settings.pubkey)];
      },
    },
  ],
  [
    'asks for too much computing',
    /compute_units_too_high$/,
    {
      parts: (parts) => {
        parts.computeUnits = 400_001;
      },
    },
  ],
  [
    'offers too high a priority fee',
    /priority_fee_too_high$/,
    {
      parts: (parts) => {
        parts.computePrice = 50_001;
      },
    },
  ],
  [
    'has too few compute units for its program',
    /simulation_failed/,
    {
      parts: (parts) => {
        parts.computeUnits = 1_000;
      },
    },
  ],
  [
    'names a blockhash that the chain does not know',
    /simulation_failed/,
    {
      parts: (parts) => {
        parts.blockhash = Keypair.generate().publicKey.toBase58();
      },
    },
  ],
  [
    'wants another fee payer',
    /fee_payer_mismatch$|could_not_be_decoded$/,
    {
      parts: (parts) => {
        parts.feePayer = Keypair.generate().publicKey;
      },
    },
  ],
  [
    'has a third signer',
    /excessive_signers$|could_not_be_decoded$/,
    {
      parts: (parts) => {
        const note = memo('hello');
        note.keys.push({ pubkey: Keypair.generate().publicKey, isSigner: true, isWritable: false });
        parts.more = [...parts.more.slice(0, 1), note];
      },
    },
  ],
];

test("smart wallets' payments with something wrong are refused with a reason, and nothing is sent", async () => {
  const wallet = await newSolanaSmartWallet();
  for (const [what, reason, change] of wrong)
    await expectChallenge(await post(await paymentOf(wallet, change)), reason, what);
  await expectNothingSent(wallet);
  expect((await post(await paymentOf(wallet))).status).toBe(200);
});

test('a smart wallet whose program would not pay the price is refused with a reason, and nothing is sent', async () => {
  const wallet = await newSolanaSmartWallet();
  for (const [behavior, reason] of [
    ['doesNothing', /no_transfer_in_simulation$/],
    ['fails', /simulation_failed$/],
    ['paysHalf', /transfer_mismatch$/],
    ['paysTwice', /multiple_matching_transfers$/],
    ['computesForever', /simulation_failed$/],
  ] as const) {
    await setBehavior(wallet, behavior);
    await expectChallenge(await post(await paymentOf(wallet)), reason, behavior);
  }
  await expectNothingSent(wallet);
  await setBehavior(wallet, 'pays');
  expect((await post(await paymentOf(wallet))).status).toBe(200);
});

test(
  'a smart wallet that pays from a vault that is not its own is refused, and nobody is charged',
  fullOnly,
  async () => {
    const [wallet, victim] = [await newSolanaSmartWallet(), await newSolanaSmartWallet()];
    const { usdc } = network(on);
    const readOnly = async (owner: string) => [
      { pubkey: new PublicKey(owner), isSigner: false, isWritable: false },
      {
        pubkey: new PublicKey(await findAssociatedTokenAddress(owner, usdc)),
        isSigner: false,
        isWritable: false,
      },
    ];
    const named = await readOnly(victim.address);
    const attempts: Readonly<Record<string, PaymentPayload>> = {
      "another wallet's vault": await paymentOf({ ...victim, member: wallet.member }),
      'its own vault beside that of another': await paymentOf(wallet, {
        instruction: ({ keys }) => keys.push(...named),
      }),
      "its own money in the name of another wallet's vault": await paymentOf(wallet, {
        instruction: ({ keys }) => {
          // The vault itself is no longer named, only its token account.
          keys.push(...named);
          keys.splice(2, 1, { pubkey: victim.member.publicKey, isSigner: false, isWritable: false });
        },
      }),
    };
    for (const [what, payment] of Object.entries(attempts))
      await expectChallenge(await post(payment), /^invalid_exact_svm/, what);
    await expectNothingSent(wallet);
    await expectUntouched(victim, on);
  },
);

test('a smart wallet whose member’s signature is missing or of another message is refused', async () => {
  const wallet = await newSolanaSmartWallet();
  const honest = await paymentOf(wallet);
  const unsigned = altered(honest, ({ signatures }) => {
    signatures[1]?.fill(0);
  });
  const moved = altered(honest, ({ message }) => {
    message.recentBlockhash = Keypair.generate().publicKey.toBase58();
  });
  for (const payment of [unsigned, moved])
    await expectChallenge(await post(payment), /could_not_be_decoded$/);
  await expectNothingSent(wallet);
});

test(
  'a smart wallet with too little money is refused, and the same payment works once it has enough',
  fullOnly,
  async () => {
    const wallet = await newSolanaSmartWallet({ atomic: 4_999n });
    const payment = await paymentOf(wallet);
    const { body } = aFile();
    await expectChallenge(await post(payment, body), /simulation_failed_insufficient_balance$/);
    await expectNothingSent(wallet, 4_999n);
    await rpcCall(network(on).rpcUrl, 'tuppence_setTokenBalance', [wallet.address, '5000']);
    expect((await post(payment, body)).status).toBe(200);
    expect(await balanceOf(wallet, on)).toBe(0n);
  },
);

test('a smart wallet of a program that is not accepted is refused with a reason, and nothing is sent', async () => {
  const wallet = await newSolanaSmartWallet({ program: Keypair.generate().publicKey.toBase58() });
  await expectChallenge(await post(await paymentOf(wallet)), /program_not_allowed$/);
  await expectNothingSent(wallet);
  // A program that is not accepted may not run beside one that is.
  const accepted = await newSolanaSmartWallet();
  const other = await walletInstruction(wallet, {
    mint: network(on).usdc,
    to: accepted.address,
    amount: 0n,
  });
  for (const key of other.keys) key.isSigner = false;
  const both = await paymentOf(accepted, {
    parts: (parts) => {
      parts.more = [...parts.more, other];
    },
  });
  await expectChallenge(await post(both), /program_not_allowed$|could_not_be_decoded$/);
  await expectNothingSent(accepted);
});
