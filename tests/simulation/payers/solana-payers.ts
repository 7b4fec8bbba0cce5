import type { Payment } from '@/lib/payments/payment';
import { solanaNetwork } from '@/local/networks';
import type { Dice } from '../dice';
import { associatedAddressOf, tokenFields, withAmount } from '../solana/accounts';
import { changeTokenAccount } from '../solana/funding';
import { walletOf } from '../solana/transfers';
import { vaultOf } from '../solana/wallet-program';
import type { SolanaWorld } from '../solana/world';
import type { World } from '../world';
import { type Payer, price, type SoloAct } from './payer';

const names = ['one', 'two', 'three'].map((name) => `payer ${name} on Solana`);
/** The members of smart wallets. */
const members = ['one', 'two'].map((name) => `member ${name} on Solana`);
const patron = 'patron on Solana';
/** How old the blockhash of a payment is at most, in slots, when its payer signs. */
const signingSlotsMax = 30;

/** The payers on Solana. Some cannot afford all that they buy. */
export function solanaPayers(world: World, solana: SolanaWorld): readonly Payer[] {
  const dice = world.dice('funds on Solana');
  solana.fund(patron, 0n);
  for (const name of names) solana.fund(name, price * BigInt(dice.pick([1, 4, 100])));
  for (const member of members) solana.fundWallet(member, price * BigInt(dice.pick([1, 4, 100])));
  return [
    ...names.map((name) => new SolanaPayer(solana, name)),
    ...members.map((member) => new SmartWalletPayer(world, solana, member)),
  ];
}

/** A blockhash that a wallet takes may already be final, and signing takes some time. */
function blockhashFor(solana: SolanaWorld, dice: Dice): string {
  const { blocks, slot } = solana.cluster.view();
  return blocks.hashOf(blocks.lastAt(slot - 1 - dice.between(0, signingSlotsMax)));
}

class SolanaPayer implements Payer {
  readonly #solana: SolanaWorld;
  readonly name: string;

  constructor(solana: SolanaWorld, name: string) {
    this.#solana = solana;
    this.name = name;
  }

  sign(memo: string, dice: Dice): Payment {
    return this.#solana.pay(this.name, price, { memo, blockhash: blockhashFor(this.#solana, dice) });
  }

  /** Without the signature of our fee payer nobody can submit a payment. */
  get soloActs(): readonly SoloAct[] {
    const { cluster } = this.#solana;
    return [
      { fault: 'buyer spends', run: () => spend(this.#solana, ownerOf(this.name)) },
      { fault: 'buyer frozen', run: () => changeTokenAccount(cluster, ownerOf(this.name), 'frozen') },
    ];
  }
}

const refusals = ['doesNothing', 'fails', 'paysHalf'] as const;

/** The member of a smart wallet, whose program may change its mind at any time, also between a simulation and the block. */
class SmartWalletPayer implements Payer {
  readonly #world: World;
  readonly #solana: SolanaWorld;
  readonly #dice: Dice;
  readonly name: string;

  constructor(world: World, solana: SolanaWorld, name: string) {
    this.#world = world;
    this.#solana = solana;
    this.#dice = world.dice(`smart wallet of ${name}`);
    this.name = name;
  }

  sign(memo: string, dice: Dice): Payment {
    return this.#solana.payFromWallet(this.name, price, {
      memo,
      blockhash: blockhashFor(this.#solana, dice),
    });
  }

  get soloActs(): readonly SoloAct[] {
    const changes: SoloAct = { fault: 'smart wallet changes its mind', run: () => this.#refuse() };
    const owner = vaultOf(walletOf(this.name).publicKey).vault.toBase58();
    return [changes, changes, changes, { fault: 'buyer spends', run: () => spend(this.#solana, owner) }];
  }

  /** For a while it pays nothing, or less. */
  #refuse(): void {
    const { clock, plan } = this.#world;
    this.#solana.changeWallet(this.name, this.#dice.pick(refusals));
    clock.after(Math.min(this.#dice.between(500, 15_000), plan.faultyMs), () =>
      this.#solana.changeWallet(this.name, 'pays'),
    );
  }
}

/** Somebody sends all that it has to a patron. */
function spend(solana: SolanaWorld, owner: string): void {
  const [from, to] = [tokensOf(owner), tokensOf(ownerOf(patron))];
  solana.cluster.change((state) => {
    const [source, target] = [state.find(from), state.find(to)];
    if (!source || !target) return new Map();
    const sum = tokenFields(target).amount + tokenFields(source).amount;
    return new Map([
      [from, withAmount(source, 0n)],
      [to, withAmount(target, sum)],
    ]);
  });
}

function ownerOf(name: string): string {
  return walletOf(name).publicKey.toBase58();
}

function tokensOf(owner: string): string {
  return associatedAddressOf(owner, solanaNetwork.usdc);
}
