import type { Hex } from 'viem';
import { endless, ofUndeployed, ownedBy, refusing } from '../contract-wallets';
import type { PaidCase } from '../paid-case';
import { rules } from '../rules';
import type { PaidSeller } from '../seller';
import { fitsTheMoney, isRefused } from './outcomes';

/** Pays from a contract, with the signature of a key beside it. */
async function payFromContract(seller: PaidSeller, code: (owner: Hex) => Hex) {
  const owner = await seller.newPayer();
  const wallet = await seller.chain.deploy(code(owner.address));
  await seller.chain.setBalance(wallet, 10_000_000n);
  return seller.pay(await seller.signX402(owner, { authorization: { from: wallet } }));
}

export const contractWalletCases: readonly PaidCase[] = [
  {
    id: 'authorization.contract-wallet',
    title: 'serves a contract wallet that accepts the signature only if it is paid',
    rule: rules.success,
    needs: ['x402'],
    check: async (seller) => fitsTheMoney(seller, await payFromContract(seller, ownedBy)),
  },
  {
    id: 'authorization.contract-wallet-refuses',
    title: 'refuses the signature that a contract wallet does not accept',
    rule: rules.signature,
    needs: ['x402'],
    check: async (seller) => isRefused(seller, await payFromContract(seller, () => refusing)),
  },
  {
    id: 'authorization.contract-wallet-endless',
    title: 'delivers nothing unpaid to a contract wallet whose check of the signature never ends',
    rule: rules.success,
    needs: ['x402'],
    check: async (seller) => fitsTheMoney(seller, await payFromContract(seller, () => endless)),
  },
  {
    id: 'authorization.undeployed-wallet',
    title:
      'delivers nothing unpaid to a wallet that is not deployed, with a signature in the form of ERC-6492',
    rule: rules.success,
    needs: ['x402'],
    async check(seller) {
      const owner = await seller.newPayer();
      const payment = await seller.signX402(owner, {
        authorization: { from: (await seller.newPayer()).address },
        signature: (genuine) => ofUndeployed(owner.address, genuine),
      });
      return fitsTheMoney(seller, await seller.pay(payment));
    },
  },
];
