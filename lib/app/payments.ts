import type { Hex } from 'viem';
import { accountBook } from '@/lib/ledger/account-book';
import { settlementJournal } from '@/lib/ledger/settlement-journal';
import { AccountRail } from '@/lib/payments/account/rail';
import { AccountSettler } from '@/lib/payments/account/settler';
import { PaymentDesk } from '@/lib/payments/desk';
import { EvmSettler } from '@/lib/payments/evm/settler';
import { FacilitatorSettler } from '@/lib/payments/facilitator/settler';
import type { Realm } from '@/lib/payments/mpp/challenge';
import { MppRail } from '@/lib/payments/mpp/rail';
import { configuredOffers, isEvmOffer, isSolanaOffer, type Offer } from '@/lib/payments/networks';
import { inOurBooks, type PaymentPlace, type Settler } from '@/lib/payments/payment';
import type { ChallengingRail, PrepaidRail } from '@/lib/payments/rail';
import { SolanaSettler } from '@/lib/payments/solana/settler';
import { X402Rail } from '@/lib/payments/x402/rail';
import { derivedKeys } from '@/lib/platform/data-key';
import { lastingCondition } from '@/lib/platform/lasting-condition';
import { describeError, log } from '@/lib/platform/log';
import { processWide } from '@/lib/platform/process-wide';
import { env } from '@/lib/platform/settings';
import { recogniseHolder } from '@/lib/services/accounts/access';
import { depositUrl } from '@/lib/services/accounts/identity';
import { hasPeers, instanceId } from './instance';

interface Payments {
  readonly desk: PaymentDesk;
  readonly rails: {
    readonly x402: ChallengingRail;
    readonly mpp: ChallengingRail;
    readonly account: PrepaidRail;
  };
  /** What charges payments made at a place; null where none are made any more. */
  settlerAt(place: PaymentPlace): Settler | null;
  /** The same; null also where payments are not taken for the moment. */
  openSettlerAt(place: PaymentPlace): Settler | null;
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
    const accounts = new AccountSettler(accountBook);
    const settlerAt = (place: PaymentPlace) =>
      place === inOurBooks ? accounts : (desk.byName(place)?.settler ?? null);
    return {
      desk,
      rails: {
        x402: new X402Rail(desk, env().PUBLIC_URL),
        mpp: new MppRail(desk, mppRealm(), env().PUBLIC_URL),
        account: new AccountRail(accountBook, { recognise: recogniseHolder, depositUrl }),
      },
      settlerAt,
      openSettlerAt: (place) => (place === inOurBooks || desk.isOffered(place) ? settlerAt(place) : null),
    };
  });
}

function mppRealm(): Realm {
  const [newest, ...older] =
    env().MPP_SECRETS ?? derivedKeys('mpp-challenge').map((key) => key.toString('hex'));
  if (!newest) throw new Error('MPP_SECRETS is empty');
  return { name: env().MPP_REALM ?? new URL(env().PUBLIC_URL).hostname, secrets: [newest, ...older] };
}

function settlerFor(offer: Offer): Settler | null {
  if (offer.facilitatorUrl) {
    return new FacilitatorSettler(offer, offer.facilitatorUrl, env().X402_FACILITATOR_TOKEN ?? null);
  }
  const journal = settlementJournal({ instanceId, hasPeers });
  // parseEnv has checked that each is 0x and 64 hex characters. Without any, other instances settle.
  if (isEvmOffer(offer)) return new EvmSettler(offer, (env().SETTLEMENT_KEYS_EVM ?? []) as Hex[], journal);
  const key = env().SETTLEMENT_KEY_SOLANA;
  return isSolanaOffer(offer) && key ? new SolanaSettler(offer, key, journal) : null;
}

/** The networks on which this process can settle for others too: it has a key of ours for them. */
export function ownNetworks(): string[] {
  const hasKey = (offer: Offer) => isEvmOffer(offer) && !offer.facilitatorUrl && env().SETTLEMENT_KEYS_EVM;
  return configuredOffers(env())
    .filter(hasKey)
    .map(({ network }) => network.name);
}

/** Checks every network; what fails is left out of challenges, loudly, until a later check passes. */
export async function checkNetworks(): Promise<void> {
  const { desk } = payments();
  await Promise.all(
    desk.all().map(async ({ network, settler }) => {
      const problems = await settler.check().catch((error: unknown) => [describeError(error).message]);
      const isNews = problems.join() !== desk.problems(network.name).join();
      desk.report(network.name, problems);
      if (!isNews) return;
      if (problems.length > 0)
        log().error({ network: network.name, problems }, 'this network is not offered');
      else log().info({ network: network.name }, 'this network is offered');
    }),
  );
}

async function tend(network: string, settler: Settler, now: Date): Promise<void> {
  const failure = lastingCondition(`upkeep of ${network}`);
  await settler.tend(now).then(
    () => failure.end({ network }),
    (error: unknown) =>
      failure.report('error', { network, error: describeError(error) }, 'settlements are not looked after'),
  );
}

/** Alone in the service, a process looks after its settlements so often; with others, in every turn. */
const tendAloneMs = 2_000;

/** Upkeep of every network: what was handed over, what nobody follows. Run in short turns. */
export async function tendSettlers(now: Date): Promise<void> {
  const last = processWide('settlers-tended', () => ({ at: 0 }));
  if (!hasPeers() && now.getTime() - last.at < tendAloneMs) return;
  last.at = now.getTime();
  await Promise.all(
    payments()
      .desk.all()
      .map(({ network, settler }) => tend(network.name, settler, now)),
  );
}
