import { isAddress as isSolanaAddress } from '@solana/kit';
import { isAddress as isEvmAddress } from 'viem';
import { invalidInput } from '@/lib/catalog/errors/api-error';
import type { Payments } from '@/lib/payments/app-payments';
import { toPrice } from '@/lib/payments/money';
import type { NetworkName } from '@/lib/payments/network-offers';
import { inTime } from '@/lib/platform/concurrency/in-time';
import type { Platform } from '@/lib/platform/platform';

interface DepositHoldingsDeps extends Pick<Platform, 'clock'> {
  readonly payments: Payments;
}

/** USDC of a wallet by network, decimal; null where no node answered in time. */
export type Holdings = Readonly<Partial<Record<NetworkName, string | null>>>;

const answerMs = 4_000;

/**
 * Reads what a wallet holds on each offered network of its family. The page may connect only to this server, and a
 * wallet reports only the network that it is connected to.
 * @param owner an EVM address, or a base58 address of Solana
 * @throws ApiError invalid_input (400)
 */
export async function holdingsOf(app: DepositHoldingsDeps, owner: string): Promise<Holdings> {
  const family = isEvmAddress(owner, { strict: false }) ? 'evm' : 'solana';
  if (family === 'solana' && !isSolanaAddress(owner)) {
    const issues = [{ path: 'wallet', rule: 'must be the address of an EVM or a Solana wallet' }];
    throw invalidInput(issues);
  }
  const offers = app.payments.networks.offered().filter(({ network }) => network.family === family);
  const read = offers.map(async ({ network, settler }) => {
    const atomic = await inTime(app.clock, settler.usdcOf(owner), answerMs, null).catch(() => null);
    return [network.name, atomic === null ? null : toPrice(atomic)] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}
