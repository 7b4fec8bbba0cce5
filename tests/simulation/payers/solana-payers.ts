import type { Payment } from '@/lib/payments/payment';
import { solanaNetwork } from '@/local/networks';
import type { Dice } from '../dice';
import { associatedAddressOf, tokenFields, withAmount } from '../solana/accounts';
import { changeTokenAccount } from '../solana/funding';
import { walletOf } from '../solana/transfers';
import type { SolanaWorld } from '../solana/world';
import type { World } from '../world';
import { type Payer, price, type SoloAct } from './payer';

const names = ['one', 'two', 'three'].map((name) => `payer ${name} on Solana`);
const patron = 'patron on Solana';
/** How old the blockhash of a payment is at most, in slots, when its payer signs. */
const signingSlotsMax = 30;

/** The payers on Solana. Some cannot afford all that they buy. */
export function solanaPayers(world: World, solana: SolanaWorld): readonly Payer[] {
  const dice = world.dice('funds on Solana');
  solana.fund(patron, 0n);
  for (const name of names) solana.fund(name, price * BigInt(dice.pick([1, 4, 100])));
  return names.map((name) => new SolanaPayer(solana, name));
}

class SolanaPayer implements Payer {
  readonly #solana: SolanaWorld;
  readonly name: string;

  constructor(solana: SolanaWorld, name: string) {
    this.#solana = solana;
    this.name = name;
  }

  /** Wallets take a blockhash that may already be final, and some time to sign. */
  sign(memo: string, dice: Dice): Payment {
    const { blocks, slot } = this.#solana.cluster.view();
    const blockhash = blocks.hashOf(blocks.lastAt(slot - 1 - dice.between(0, signingSlotsMax)));
    return this.#solana.pay(this.name, price, { memo, blockhash });
  }

  /** Without the signature of our fee payer nobody can submit a payment. */
  get soloActs(): readonly SoloAct[] {
    const { cluster } = this.#solana;
    return [
      { fault: 'buyer spends', run: () => this.#spend() },
      { fault: 'buyer frozen', run: () => changeTokenAccount(cluster, ownerOf(this.name), 'frozen') },
    ];
  }

  #spend(): void {
    const [from, to] = [tokensOf(this.name), tokensOf(patron)];
    this.#solana.cluster.change((state) => {
      const [source, target] = [state.find(from), state.find(to)];
      if (!source || !target) return new Map();
      const sum = tokenFields(target).amount + tokenFields(source).amount;
      return new Map([
        [from, withAmount(source, 0n)],
        [to, withAmount(target, sum)],
      ]);
    });
  }
}

function ownerOf(name: string): string {
  return walletOf(name).publicKey.toBase58();
}

function tokensOf(name: string): string {
  return associatedAddressOf(ownerOf(name), solanaNetwork.usdc);
}
