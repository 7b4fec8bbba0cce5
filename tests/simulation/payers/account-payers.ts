import { onAccount, type Payment } from '@/lib/payments/payment';
import type { World } from '../world';
import { type Payer, price } from './payer';

/** How long a call may take from reading its token to its debit, as in lib/payments/account/account-rail.ts. */
const windowMs = 300_000;

/** Opens the prepaid accounts of a history, and gives some of them a balance. */
export function openAccounts(world: World): readonly Account[] {
  const dice = world.dice('accounts');
  return Array.from({ length: world.plan.accounts }, (_, index) => {
    const opened = { id: `acct_${index}`, openedWith: price * BigInt(dice.pick([0, 1, 3, 50])) };
    world.database.execute(({ account, accountBalance }) => {
      account.insert({ id: opened.id, revokedAt: null });
      if (opened.openedWith > 0n)
        accountBalance.insert({ accountId: opened.id, balanceAtomic: opened.openedWith });
    });
    return opened;
  });
}

export interface Account {
  readonly id: string;
  /** What it held when the history began, in atomic USDC. */
  readonly openedWith: bigint;
}

/** The owner of a prepaid account. Each request is a payment of its own. */
export class AccountPayer implements Payer {
  readonly #world: World;
  readonly name: string;
  readonly paysByRequest = true;
  readonly soloActs = [];

  constructor(world: World, { id }: Account) {
    this.#world = world;
    this.name = id;
  }

  sign(text: string): Payment {
    return {
      network: onAccount,
      asset: 'usdc',
      payer: this.name,
      authorization: text,
      amountAtomic: price,
      payTo: 'revenue',
      validBefore: new Date(this.#world.clock.now() + windowMs),
      signed: { family: 'account' },
    };
  }
}
