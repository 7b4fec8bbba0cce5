import { concatHex, type Hex, numberToHex, size } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { topUpUsdc } from '@/local/evm/funding';
import { paymentHeader } from '../../support/buyer';
import { withPayload } from '../../support/lies';
import { type EvmWallet, walletAt } from '../../support/paying-wallets';
import type { X402Request } from './requests';
import type { Rig } from './rig';
import { usdc } from './strangers';
import { deploy, wallets } from './wallets-with-code';

/** A signature that no key made; 100 bytes. */
const someSignature: Hex = `0x${'5a'.repeat(100)}`;

/** A wallet that is nothing but code. It gives the same signature for everything that it is asked to sign. */
export async function newCodeWallet(rig: Rig, code: Hex, signature: Hex = someSignature): Promise<EvmWallet> {
  return fund(
    rig,
    walletAt(await deploy(rig, code), async () => signature),
  );
}

/** Gives a wallet ten dollars on base. */
export async function fund<Wallet extends EvmWallet>(rig: Rig, wallet: Wallet): Promise<Wallet> {
  await topUpUsdc(rig.chainUrl('base'), usdc, [wallet.address], 10_000_000n, 10_000_000n);
  return wallet;
}

/** The same request with another signature. */
export function withSignature(request: X402Request, signature: Hex): X402Request {
  const envelope = withPayload(request.envelope, { signature });
  const headers = { ...request.init.headers, ...paymentHeader(envelope) };
  return { ...request, envelope, init: { ...request.init, headers } };
}

const { accept } = wallets;
const notDeployed = privateKeyToAccount(generatePrivateKey()).address;

/** Calls an address first, by DELEGATECALL (f4) or STATICCALL (fa), with all gas, and then accepts any signature. */
const callingFirst = (instruction: Hex, to: Hex): Hex =>
  concatHex(['0x600060006000600073', to, '0x5a', instruction, '0x50', accept]);

/** Burns all gas if a value on the stack is not zero, and accepts any signature otherwise. */
function burningIf(value: Hex): Hex {
  const burn = numberToHex(size(value) + 3 + size(accept), { size: 1 });
  return concatHex([value, '0x60', burn, '0x57', accept, '0x5b60', burn, '0x56']);
}

/** Wallets that fail every honest simulation, by what they do when asked to validate a signature. `burner` burns all gas. */
export const refusing: Readonly<Record<string, (burner: Hex) => Hex>> = {
  'burns all gas': () => wallets.burner,
  'returns a megabyte': () => wallets.returnBomb,
  'returns zero': () => wallets.reject,
  'returns nothing': () => '0x00',
  'returns the four bytes of the magic value without their word': () => '0x631626ba7e60e01b60005260046000f3',
  'returns the magic value with a bit more': () => '0x631626ba7e60e01b60011760005260206000f3',
  'returns the magic value at the wrong end of the word': () => '0x631626ba7e60005260206000f3',
  'returns true': () => '0x600160005260206000f3',
  'reverts with the magic value': () => '0x631626ba7e60e01b60005260206000fd',
  'reverts with a megabyte': () => '0x621000006000fd',
  'is an invalid instruction': () => '0xfe',
  'jumps to nowhere': () => '0x60ff56',
  'takes what is not on the stack': () => '0x01',
  'asks for four gigabytes of memory': () => '0x600063ffffffff52',
  'hashes memory without end': () => '0x5b620100006000205060005600',
  'writes a log': () => concatHex(['0x60006000a0', accept]),
  'writes to its storage': () => concatHex(['0x6001600055', accept]),
  'makes a contract': () => concatHex(['0x600060006000f050', accept]),
  'destroys itself': () => concatHex(['0x33ff', accept]),
  'sends money along': () => concatHex(['0x60006000600060006001335af150', accept]),
  'delegates the question to a burner and then accepts': (burner) => callingFirst('0xf4', burner),
  'asks a burner and then accepts': (burner) => callingFirst('0xfa', burner),
  'accepts only where nobody sends a transaction': () => burningIf('0x32'),
  'accepts only where gas costs nothing': () => burningIf('0x3a'),
  'accepts only with more gas than it gets': () => burningIf('0x6307ffffff5a10'),
  'delegates (EIP-7702) to an address without code': () => concatHex(['0xef0100', notDeployed]),
  'delegates (EIP-7702) to a precompiled contract': () =>
    concatHex(['0xef0100', '0x0000000000000000000000000000000000000004']),
  'is in a format that no chain runs': () => '0xef00010100',
};

/** Calls a read function of the token, and continues. */
const readingToken = (selector: Hex): Hex =>
  concatHex(['0x63', selector, '0x60e01b600052600060006004600073', usdc, '0x5afa50']);

/**
 * Wallets whose answer depends on the block, the transaction and the gas, so a simulation and a block may get different
 * answers.
 */
export const fickle: Readonly<Record<string, Hex>> = {
  'by the number of the block': burningIf('0x43600116'),
  'by the time': burningIf('0x42600116'),
  'by the randomness of the block': burningIf('0x44600116'),
  'by the hash of the block before': burningIf('0x6001430340600116'),
  'by the base fee': burningIf('0x48600116'),
  'by the gas price': burningIf('0x3a600116'),
  'by who makes the block': burningIf('0x41'),
  'by the gas that is left': burningIf('0x62030d405a10'),
  'by one unit of the gas that is left': burningIf('0x5a600116'),
  'by the gas limit of the block': burningIf('0x45600116'),
  'by its own balance': burningIf('0x47'),
  'by who asks': burningIf(concatHex(['0x3373', usdc, '0x18'])),
  'after it called itself as deep as it goes': concatHex(['0x6000600060006000305afa50', accept]),
  'after it called the token that asks': concatHex([readingToken('0x18160ddd'), accept]),
  'after it tried to move tokens': concatHex([readingToken('0xa9059cbb'), accept]),
  'with a longer answer': '0x631626ba7e60e01b6000526104006000f3',
};

/** Writes to its storage when called, as the factory in an ERC-6492 wrapper would. */
export const marker: Hex = '0x600160005500';
