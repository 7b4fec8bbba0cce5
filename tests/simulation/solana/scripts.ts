import { getBase58Decoder } from '@solana/kit';
import type { Keypair, VersionedTransaction } from '@solana/web3.js';
import { solanaNetwork } from '@/local/networks';
import { behaviors } from '../../support/wallet-program/wallet';
import { associatedAddressOf } from './accounts';
import {
  settingsOf,
  type TransferParts,
  transferOf,
  type WalletTransferParts,
  walletOf,
  walletTransferOf,
} from './transfers';
import { vaultOf } from './wallet-program';

/** A Solana cluster that scripts can be run on. */
export interface ScriptedSolana {
  /** @returns the JSON-RPC answer without its ID */
  ask(method: string, params?: readonly unknown[]): Promise<unknown>;
  addLamports(owner: string, lamports: number): Promise<unknown>;
  addTokens(owner: string, atomic: bigint): Promise<unknown>;
  changeTokenAccount(owner: string, to: 'frozen' | 'initialized' | 'closed'): Promise<unknown>;
  /** Puts the program of smart wallets on the cluster. */
  deployWallet(): Promise<unknown>;
  /** Changes what a smart wallet does. */
  changeWallet(settings: string, behavior: number): Promise<unknown>;
  /** Lets slots end. */
  pass(slots: number): Promise<unknown>;
}

/** What a script does, and everything that it is told. */
export interface Script {
  readonly about: string;
  run(stage: Stage): Promise<void>;
}

type Changes = Partial<TransferParts> | ((stage: Stage) => Partial<TransferParts>);

/** The wallets of one script, with its questions and the answers to them. */
export class Stage {
  readonly answers: Record<string, unknown> = {};
  readonly chain: ScriptedSolana;
  readonly #name: string;
  #asked = 0;

  constructor(chain: ScriptedSolana, name: string) {
    this.chain = chain;
    this.#name = name;
  }

  wallet(role: string): Keypair {
    return walletOf(`${this.#name} ${role}`);
  }

  address(role: string): string {
    return this.wallet(role).publicKey.toBase58();
  }

  tokenAccount(role: string): string {
    return associatedAddressOf(this.address(role), solanaNetwork.usdc);
  }

  async ask(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const answer = await this.chain.ask(method, params);
    this.#asked += 1;
    this.answers[`${this.#asked} ${method}`] = answer;
    return answer;
  }

  /** Lets everything that has happened become final. */
  settle(): Promise<unknown> {
    return this.chain.pass(40);
  }

  /** A payer with 5 USDC, a payee with an account, and somebody who pays the fees. */
  async fund(): Promise<void> {
    await this.chain.addLamports(this.address('fee payer'), 1_000_000_000);
    await this.chain.addTokens(this.address('payer'), 5_000_000n);
    await this.chain.addTokens(this.address('payee'), 0n);
    await this.settle();
  }

  async transfer(changes: Partial<TransferParts> = {}): Promise<VersionedTransaction> {
    return transferOf({
      from: this.wallet('payer'),
      to: this.wallet('payee').publicKey,
      atomic: 1_000n,
      feePayer: this.wallet('fee payer'),
      blockhash: await this.blockhash(),
      ...changes,
    });
  }

  async blockhash(): Promise<string> {
    const answer = (await this.chain.ask('getLatestBlockhash', [{ commitment: 'confirmed' }])) as {
      result: { value: { blockhash: string } };
    };
    return answer.result.value.blockhash;
  }

  /** Everything about a transaction that somebody who pays, or is paid, asks a node: before it is sent, and until it is final. */
  async follow(transaction: VersionedTransaction): Promise<void> {
    const wire = Buffer.from(transaction.serialize()).toString('base64');
    const base64 = { encoding: 'base64', commitment: 'confirmed' };
    await this.ask('simulateTransaction', [wire, { ...base64, sigVerify: false }]);
    await this.ask('simulateTransaction', [wire, { ...base64, sigVerify: true }]);
    await this.ask('simulateTransaction', [wire, { ...base64, replaceRecentBlockhash: true }]);
    await this.send(transaction, { preflightCommitment: 'confirmed' });
    await this.send(transaction, { skipPreflight: true });
    await this.chain.pass(2);
    const signature = signatureOf(transaction);
    await this.ask('getSignatureStatuses', [[signature]]);
    await this.settle();
    await this.send(transaction, { preflightCommitment: 'confirmed' });
    await this.ask('getSignatureStatuses', [[signature], { searchTransactionHistory: true }]);
    await this.ask('getTransaction', [signature, { maxSupportedTransactionVersion: 0 }]);
    const roles = ['payer', 'payee'];
    for (const role of roles) await this.ask('getTokenAccountBalance', [this.tokenAccount(role)]);
    await this.ask('getBalance', [this.address('fee payer')]);
    await this.ask('getSignaturesForAddress', [this.tokenAccount('payer')]);
  }

  send(transaction: VersionedTransaction, config: object): Promise<unknown> {
    const wire = Buffer.from(transaction.serialize()).toString('base64');
    return this.ask('sendTransaction', [wire, { encoding: 'base64', ...config }]);
  }
}

export function signatureOf({ signatures: [signature] }: VersionedTransaction): string {
  if (!signature) throw new Error('the transaction has no signature');
  return getBase58Decoder().decode(signature);
}

/** A transfer that differs from a good one in some respect, followed to its end. */
function following(about: string, changes: Changes, prepare?: (stage: Stage) => Promise<unknown>): Script {
  return {
    about,
    async run(stage) {
      await stage.fund();
      await prepare?.(stage);
      await stage.settle();
      await stage.follow(await stage.transfer(typeof changes === 'function' ? changes(stage) : changes));
    },
  };
}

const setAccount = (role: string, to: 'frozen' | 'initialized' | 'closed') => (stage: Stage) =>
  stage.chain.changeTokenAccount(stage.address(role), to);

export const transferScripts: readonly Script[] = [
  following('a transfer', {}),
  following('a transfer with a memo', { memo: 'for call 7' }),
  following('a transfer of nothing', { atomic: 0n }),
  following('a transfer to oneself', (stage) => ({ to: stage.wallet('payer').publicKey })),
  following('a transfer of more than the payer holds', { atomic: 5_000_001n }),
  following('a transfer of all that the payer holds', { atomic: 5_000_000n }),
  following('a transfer of a token that does not exist', (stage) => ({ mint: stage.address('mint') })),
  following('a transfer with the wrong decimals', { decimals: 9 }),
  following('a transfer to somebody without an account', (stage) => ({ to: stage.wallet('x').publicKey })),
  following('a transfer by somebody without an account', (stage) => ({ from: stage.wallet('x') })),
  following('a transfer that opens the account of its recipient', (stage) => ({
    to: stage.wallet('x').publicKey,
    opensAccount: true,
    computeUnits: 60_000,
  })),
  following('a transfer that opens an account that is there', { opensAccount: true, computeUnits: 60_000 }),
  following('a transfer that somebody else signs', (stage) => ({ authority: stage.wallet('x') })),
  following('a transfer from an account that it may only read', { isSourceReadOnly: true }),
  following('a transfer with too few compute units', { computeUnits: 350 }),
  following('a transfer without compute units for its compute budget', { computeUnits: 100 }),
  following('a transfer with too few compute units for its memo', { computeUnits: 450, memo: 'hello' }),
  following('a transfer with a priority fee', { microLamportsPerUnit: 50_000 }),
  following('a transfer from a frozen account', {}, setAccount('payer', 'frozen')),
  following('a transfer to a frozen account', { atomic: 5_000_001n }, setAccount('payee', 'frozen')),
  following('a transfer to a closed account', {}, setAccount('payee', 'closed')),
  following('a transfer from an account that is frozen no more', {}, async (stage) => {
    await setAccount('payer', 'frozen')(stage);
    await stage.settle();
    await setAccount('payer', 'initialized')(stage);
  }),
  following('a transfer whose fee payer does not exist', (stage) => ({ feePayer: stage.wallet('x') })),
  following(
    'a transfer whose fee payer has too little',
    (stage) => ({ feePayer: stage.wallet('x') }),
    (stage) => stage.chain.addLamports(stage.address('x'), 10_000),
  ),
  following(
    'a transfer whose fee payer has just enough',
    (stage) => ({ feePayer: stage.wallet('x') }),
    (stage) => stage.chain.addLamports(stage.address('x'), 10_001),
  ),
  following('a transfer with an unknown blockhash', (stage) => ({ blockhash: stage.address('x') })),
  following('a transfer that its payer has not signed', (stage) => ({
    signers: [stage.wallet('fee payer')],
  })),
  following('a transfer that its fee payer has not signed', (stage) => ({
    signers: [stage.wallet('payer')],
  })),
];

/** The payment of a smart wallet, followed to its end. */
function followingWallet(
  about: string,
  changes: Partial<WalletTransferParts>,
  behavior?: keyof typeof behaviors,
): Script {
  return {
    about,
    async run(stage) {
      const { publicKey } = stage.wallet('payer');
      await stage.fund();
      await stage.chain.deployWallet();
      await stage.chain.addTokens(vaultOf(publicKey).vault.toBase58(), 5_000_000n);
      if (behavior) await stage.chain.changeWallet(settingsOf(publicKey).toBase58(), behaviors[behavior]);
      await stage.settle();
      const transaction = walletTransferOf({
        from: stage.wallet('payer'),
        to: stage.wallet('payee').publicKey,
        atomic: 1_000n,
        feePayer: stage.wallet('fee payer'),
        blockhash: await stage.blockhash(),
        ...changes,
      });
      const wire = Buffer.from(transaction.serialize()).toString('base64');
      const config = { encoding: 'base64', commitment: 'confirmed', innerInstructions: true };
      await stage.ask('simulateTransaction', [wire, config]);
      await stage.ask('simulateTransaction', [wire, { ...config, replaceRecentBlockhash: true }]);
      await stage.follow(transaction);
      await stage.ask('getTokenAccountBalance', [
        associatedAddressOf(vaultOf(publicKey).vault.toBase58(), solanaNetwork.usdc),
      ]);
    },
  };
}

export const walletScripts: readonly Script[] = [
  followingWallet('a payment by a smart wallet', {}),
  followingWallet('a payment by a smart wallet with a memo', { memo: 'for call 7' }),
  followingWallet('a payment of more than a smart wallet holds', { atomic: 5_000_001n }),
  followingWallet('a smart wallet that does nothing', {}, 'doesNothing'),
  followingWallet('a smart wallet that pays half', {}, 'paysHalf'),
  followingWallet('a smart wallet that pays twice', {}, 'paysTwice'),
  followingWallet('a smart wallet that cannot pay twice', { atomic: 3_000_000n }, 'paysTwice'),
  followingWallet('a smart wallet that fails', {}, 'fails'),
  followingWallet('a smart wallet that computes until its units are used up', {}, 'computesForever'),
];
