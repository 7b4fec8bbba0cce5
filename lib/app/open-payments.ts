import type { Hex } from 'viem';
import { accountBook } from '@/lib/ledger/account-book';
import { settlementJournal } from '@/lib/ledger/settlement-journal';
import { AccountRail } from '@/lib/payments/account/account-rail';
import { AccountSettler } from '@/lib/payments/account/account-settler';
import type { Payments } from '@/lib/payments/app-payments';
import { ContractWallets } from '@/lib/payments/evm/contract-wallets';
import { EvmChain } from '@/lib/payments/evm/evm-chain';
import { EvmRefundReader } from '@/lib/payments/evm/evm-refund-reader';
import { EvmSettler } from '@/lib/payments/evm/evm-settler';
import type { Realm } from '@/lib/payments/mpp/mpp-challenge';
import { MppRail } from '@/lib/payments/mpp/mpp-rail';
import { configuredOffers, isEvmOffer, isSolanaOffer, type Offer } from '@/lib/payments/network-offers';
import { type AvailableOffer, NetworkRegistry } from '@/lib/payments/network-registry';
import { NetworkWatch } from '@/lib/payments/network-watch';
import { onAccount, type Payment } from '@/lib/payments/payment';
import type { ReceiptIssuer } from '@/lib/payments/receipts/receipt-issuer';
import type { RefundReader } from '@/lib/payments/refund-transfer';
import { RpcNodes } from '@/lib/payments/rpc/network-rpcs';
import type { SendToRpc } from '@/lib/payments/rpc/send-to-rpc';
import { sellerOf } from '@/lib/payments/seller';
import * as solanaPayments from '@/lib/payments/solana/solana-payment';
import { SolanaRefundReader } from '@/lib/payments/solana/solana-refund-reader';
import { SolanaSettler } from '@/lib/payments/solana/solana-settler';
import { X402Rail } from '@/lib/payments/x402/x402-rail';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import { recognizeHolder } from '@/lib/services/accounts/access';
import { depositUrl } from '@/lib/services/accounts/identity';
import type { OpenedFeature } from './feature';
import { features, remoteSettlers } from './features';

/**
 * Builds the configured networks, settlers and rails. A network is offered after its first check has passed.
 * @param send how requests reach the RPCs; over HTTP if not given
 */
export function openPayments(
  app: Platform & WithDatabase,
  receipts: ReceiptIssuer,
  send?: SendToRpc,
): Payments & { readonly features: readonly OpenedFeature[] } {
  const { settings, log } = app;
  const offers = configuredOffers(settings).map((offer) => ({
    offer,
    nodes: new RpcNodes(app, offer, send),
  }));
  const networks = new NetworkRegistry(
    offers.flatMap(({ offer, nodes }) => {
      const available = openRemote(app, offer, nodes) ?? openOffer(app, offer, nodes);
      if (!available)
        log.error({ network: offer.network.name }, 'nothing settles here: there is no settlement key');
      return available ?? [];
    }),
  );
  for (const { network } of networks.all()) networks.report(network.name, ['not checked yet']);
  const book = accountBook(app);
  const accounts = new AccountSettler(book);
  const opened = features.map((feature) => feature.open(app, networks));
  const featureOf = (payment: Payment) => opened.find((feature) => feature.takes(payment));
  const settlerOf: Payments['settlerOf'] = (payment) => {
    const feature = featureOf(payment);
    if (feature) return feature.settler;
    const { network } = payment;
    return network === onAccount ? accounts : (networks.byName(network)?.settler ?? null);
  };
  const refundReaders = new Map<string, RefundReader>(
    offers.flatMap(({ offer, nodes }) => {
      const reader = refundReaderFor(app, offer, nodes);
      return reader ? [[offer.network.name, reader]] : [];
    }),
  );
  const contractWallets = new Map<string, ContractWallets>(
    offers.flatMap(({ offer, nodes }) =>
      isEvmOffer(offer) ? [[offer.network.name, new ContractWallets(app, offer, nodes)]] : [],
    ),
  );
  const seller = sellerOf(app);
  return {
    networks,
    watch: new NetworkWatch(app, networks, opened),
    rails: {
      x402: new X402Rail({ ...app, seller, issuer: receipts, solana: solanaPayments }, networks, opened),
      mpp: new MppRail(app, networks, mppRealm(app), seller),
      account: new AccountRail(book, {
        recognize: (headers) => recognizeHolder(app, headers),
        depositUrl: (accountId) => depositUrl(app, accountId),
      }),
    },
    features: opened,
    settlerOf,
    openSettlerOf: (payment) => {
      if (featureOf(payment)?.isOffered() === false) return null;
      return payment.network === onAccount || networks.isOffered(payment.network) ? settlerOf(payment) : null;
    },
    refundReaderAt: (network) => refundReaders.get(network) ?? null,
    contractWalletsAt: (network) => contractWallets.get(network) ?? null,
  };
}

function mppRealm({ settings, keys }: Platform): Realm {
  const [newest, ...older] =
    settings.MPP_SECRETS ?? keys.derive('mpp-challenge').map((key) => key.toString('hex'));
  if (!newest) throw new Error('MPP_SECRETS is empty');
  return {
    name: settings.MPP_REALM ?? new URL(settings.PUBLIC_URL).hostname,
    secrets: [newest, ...older],
    credentialHeader: settings.MPP_CREDENTIAL_HEADER,
  };
}

/** A network where a remote server settles; null where none is set. */
function openRemote(app: Platform, offer: Offer, nodes: RpcNodes): AvailableOffer | null {
  return remoteSettlers.flatMap((open) => open(app, offer, nodes) ?? [])[0] ?? null;
}

/** A network where our own keys settle; null without one. */
function openOffer(app: Platform & WithDatabase, offer: Offer, nodes: RpcNodes): AvailableOffer | null {
  const { settings } = app;
  if (isEvmOffer(offer)) {
    // parseSettings checks that each is 0x and 64 hex characters. Without any, other instances settle.
    const keys = (settings.SETTLEMENT_KEYS_EVM ?? []) as Hex[];
    return { ...offer, settler: new EvmSettler(app, offer, nodes, keys, settlementJournal(app)), nodes };
  }
  if (!isSolanaOffer(offer)) return null;
  const key = settings.SETTLEMENT_KEY_SOLANA;
  return key
    ? { ...offer, settler: new SolanaSettler(app, offer, nodes, key, settlementJournal(app)), nodes }
    : null;
}

/** Nothing waits for a refund, so its reader does not follow new blocks. */
function refundReaderFor(app: Platform & WithDatabase, offer: Offer, nodes: RpcNodes): RefundReader | null {
  if (isEvmOffer(offer)) return new EvmRefundReader(new EvmChain(app, { ...offer, blocksUrl: null }, nodes));
  return isSolanaOffer(offer) ? new SolanaRefundReader(app, offer, nodes) : null;
}
