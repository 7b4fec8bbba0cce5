import { createHash, generateKeyPairSync, type KeyObject, sign as signWith } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import {
  concatHex,
  createWalletClient,
  encodeAbiParameters,
  encodePacked,
  getAddress,
  type Hex,
  hashTypedData,
  http,
  keccak256,
  pad,
  publicActions,
  type TransactionReceipt,
} from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { compileContracts } from '@/local/evm/contracts';
import { topUpGas } from '@/local/evm/funding';
import { rpcBatch, rpcCall } from '@/local/json-rpc';

/** A payer as the official clients use it: it has an address and signs typed data. */
export type EvmWallet = Pick<PrivateKeyAccount, 'address' | 'signTypedData'>;

/** A wallet that signs the digest of typed data in its own way. */
export function walletAt(address: Hex, signDigest: (digest: Hex) => Promise<Hex>): EvmWallet {
  return {
    address: getAddress(address),
    // viem's general parameter type is enough for hashing.
    signTypedData: (typed) => signDigest(hashTypedData(typed as Parameters<typeof hashTypedData>[0])),
  };
}

export const newKey = () => privateKeyToAccount(generatePrivateKey());

/** Sends a transaction from a new key, and waits until it is in a block. */
export async function send(
  rpcUrl: string,
  transaction: { to?: Hex; data: Hex },
): Promise<TransactionReceipt> {
  const account = newKey();
  await topUpGas(rpcUrl, account.address, 10n ** 18n);
  const client = createWalletClient({ account, transport: http(rpcUrl) }).extend(publicActions);
  const hash = await client.sendTransaction({ ...transaction, chain: null });
  const receipt = await client.waitForTransactionReceipt({ hash, pollingInterval: 50 });
  if (receipt.status !== 'success') throw new Error('a transaction of a test failed');
  return receipt;
}

export async function chainIdOf(rpcUrl: string): Promise<number> {
  return Number(await rpcCall(rpcUrl, 'eth_chainId'));
}

const source = fileURLToPath(new URL('./paying-wallets.sol', import.meta.url));

async function compiled(contract: 'OwnedWallet' | 'MarkingDelegate') {
  const code = (await compileContracts(source))[contract];
  if (!code) throw new Error(`there is no ${contract}`);
  return code;
}

/** Deploys a wallet modeled on Coinbase Smart Wallet, owned by a key and a passkey. `signer` chooses which of them signs. */
export async function deployOwnedWallet(rpcUrl: string, signer: 'key' | 'passkey'): Promise<EvmWallet> {
  const [key, passkey] = [newKey(), generateKeyPairSync('ec', { namedCurve: 'prime256v1' })];
  const { x = '', y = '' } = passkey.publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  const owners = [pad(key.address, { size: 32 }), `0x${point.toString('hex')}` as const];
  const { creation } = await compiled('OwnedWallet');
  const args = encodeAbiParameters([{ type: 'bytes[]' }], [owners]);
  const { contractAddress } = await send(rpcUrl, { data: concatHex([creation, args]) });
  if (!contractAddress) throw new Error('no wallet was deployed');
  const chainId = await chainIdOf(rpcUrl);
  return walletAt(contractAddress, async (digest) => {
    const replaySafe = {
      domain: { name: 'Coinbase Smart Wallet', version: '1', chainId, verifyingContract: contractAddress },
      types: { CoinbaseSmartWalletMessage: [{ name: 'hash', type: 'bytes32' }] },
      primaryType: 'CoinbaseSmartWalletMessage',
      message: { hash: digest },
    } as const;
    const data =
      signer === 'key'
        ? await key.signTypedData(replaySafe)
        : signWithPasskey(passkey.privateKey, hashTypedData(replaySafe));
    return encodeAbiParameters(
      [{ type: 'tuple', components: [{ type: 'uint256' }, { type: 'bytes' }] }],
      [[signer === 'key' ? 0n : 1n, data]],
    );
  });
}

/** Signs as a browser does with a passkey (WebAuthn), in the form that the wallet accepts. */
function signWithPasskey(key: KeyObject, digest: Hex): Hex {
  const challenge = Buffer.from(digest.slice(2), 'hex').toString('base64url');
  const clientData = `{"type":"webauthn.get","challenge":"${challenge}","origin":"https://keys.example","crossOrigin":false}`;
  const authenticatorData = Buffer.concat([
    createHash('sha256').update('keys.example').digest(),
    Buffer.from('0500000001', 'hex'),
  ]);
  const message = Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()]);
  const signature = signWith('sha256', message, { key, dsaEncoding: 'ieee-p1363' }).toString('hex');
  const components = ['bytes', 'bytes', 'uint256', 'uint256', 'uint256', 'uint256'].map((type) => ({ type }));
  return encodeAbiParameters(
    [{ type: 'tuple', components }],
    [
      [
        `0x${authenticatorData.toString('hex')}`,
        `0x${Buffer.from(clientData).toString('hex')}`,
        BigInt(clientData.indexOf('"challenge"')),
        BigInt(clientData.indexOf('"type"')),
        BigInt(`0x${signature.slice(0, 64)}`),
        BigInt(`0x${signature.slice(64)}`),
      ],
    ],
  );
}

/** Delegates a key to code that accepts signatures only in its own format. */
export async function delegateToMarking(rpcUrl: string, key: PrivateKeyAccount): Promise<EvmWallet> {
  const { runtime } = await compiled('MarkingDelegate');
  const { address: to } = newKey();
  await rpcBatch(rpcUrl, [
    ['anvil_setCode', [to, runtime]],
    ['anvil_setCode', [key.address, concatHex(['0xef0100', to])]],
  ]);
  return walletAt(key.address, async (digest) => {
    const marked = encodeAbiParameters(
      [{ type: 'string' }, { type: 'address' }, { type: 'bytes32' }],
      ['marked', key.address, digest],
    );
    return encodePacked(['bytes1', 'bytes'], ['0x07', await key.sign({ hash: keccak256(marked) })]);
  });
}
