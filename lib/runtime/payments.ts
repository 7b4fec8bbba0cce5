import type { Hex } from 'viem';
import type { RailName } from '@/lib/catalog/operation';
import { derivedKeys } from '@/lib/data-key';
import { env } from '@/lib/env';
import { settlementJournal } from '@/lib/ledger/settlement-journal';
import { describeError, log } from '@/lib/log';
import { PaymentDesk } from '@/lib/payments/desk';
import { EvmSettler } from '@/lib/payments/evm/settler';
import { FacilitatorSettler } from '@/lib/payments/facilitator/settler';
import type { Realm } from '@/lib/payments/mpp/challenge';
import { MppRail } from '@/lib/payments/mpp/rail';
import { configuredOffers, isEvmOffer, isSolanaOffer, type Offer } from '@/lib/payments/networks';
import type { Settler } from '@/lib/payments/payment';
import type { Rail } from '@/lib/payments/rail';
import { SolanaSettler } from '@/lib/payments/solana/settler';
import { X402Rail } from '@/lib/payments/x402/rail';
import { processWide } from '@/lib/process-wide';

interface Payments {
  readonly desk: PaymentDesk;
  readonly rails: Readonly<Record<RailName, Rail>>;
}

/** The networks, settlers and rails of this process, put together from its settings. */
export function payments(): Payments {
  return processWide('payments', () => {
    const desk = new PaymentDesk(
      configuredOffers(env()).flatMap((offer) => {
        const settler = settlerFor(offer);
        if (!settler) log().error({ network: offer.network.name }, 'no settlement key and no facilitator');
        return settler ? [{ ...offer, settler }] : [];
      }),
    );
    // Nothing is offered before its first check has passed.
    for (const { network } of desk.all()) desk.report(network.name, ['not checked yet']);
    return {
      desk,
      rails: {
        x402: new X402Rail(desk, env().PUBLIC_URL),
        mpp: new MppRail(desk, mppRealm(), env().PUBLIC_URL),
      },
    };
  });
}

function mppRealm(): Realm {
  const [newest, ...older] =
    env().MPP_SECRETS ?? derivedKeys('mpp-challenge').map((key) => key.toString('hex'));
  if (!newest) throw new Error('MPP_SECRETS is empty');
  return { name: env().MPP_REALM ?? new URL(env().PUBLIC_URL).host, secrets: [newest, ...older] };
}

function settlerFor(offer: Offer): Settler | null {
  if (offer.facilitatorUrl) {
    return new FacilitatorSettler(offer, offer.facilitatorUrl, env().X402_FACILITATOR_TOKEN ?? null);
  }
  if (isEvmOffer(offer)) {
    const [key] = env().SETTLEMENT_KEYS_EVM ?? [];
    // parseEnv has checked that it is 0x and 64 hex characters.
    return key === undefined ? null : new EvmSettler(offer, key as Hex, settlementJournal);
  }
  const key = env().SETTLEMENT_KEY_SOLANA;
  return isSolanaOffer(offer) && key ? new SolanaSettler(offer, key, settlementJournal) : null;
}

/** Checks every network; what fails is left out of challenges, loudly, until a later check passes. */
export async function checkNetworks(): Promise<void> {
  const { desk } = payments();
  await Promise.all(
    desk.all().map(async ({ network, settler }) => {
      const problems = await settler.check().catch((error: unknown) => [describeError(error).message]);
      if (problems.join() === desk.problems(network.name).join()) return;
      desk.report(network.name, problems);
      if (problems.length > 0)
        log().error({ network: network.name, problems }, 'this network is not offered');
      else log().info({ network: network.name }, 'this network is offered');
    }),
  );
}
