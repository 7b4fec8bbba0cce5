import type { CallStore } from '@/lib/calls/call-store';
import type { DueWork } from '@/lib/ledger/due-work';
import type { FinalityRecord, SettlementJournal } from '@/lib/payments/journal';
import type { NetworkName } from '@/lib/payments/network-offers';
import type { ReceiptKeyRecord } from '@/lib/payments/receipts/receipt-keys';
import type { DataKeys } from '@/lib/platform/data-keys';
import type { ChainPlatform } from '@/lib/platform/platform';
import type { SharedClock } from '@/lib/platform/shared-clock';
import type { Store } from './types';

/** What a store has for the background work of a paywall. */
export type StoredWork = Pick<
  DueWork,
  | 'peers'
  | 'isUnfinished'
  | 'hasAbandonedCalls'
  | 'holdsCalls'
  | 'hasSettlementsNotFinal'
  | 'hasRefusalsToClose'
  | 'on'
>;

/** A store in use by one paywall. */
export interface OpenedStore {
  readonly calls: CallStore;
  readonly journal: SettlementJournal;
  readonly finality: FinalityRecord;
  readonly receiptKeys: ReceiptKeyRecord;
  readonly instance: { countPeers(peers: number): void; hasPeers(): boolean };
  /** Prepares the store, and makes this process known to others that use it. */
  start(): Promise<void>;
  /** Renews the heartbeat, and looks for work. */
  findWork(): Promise<StoredWork>;
  /** Erases what is kept no longer. */
  erase(now: Date): Promise<void>;
  /** Leaves the unfinished calls to others, and closes everything. */
  close(): Promise<void>;
}

/** What a store uses. */
export interface StoreParts extends Omit<ChainPlatform, 'clock'> {
  readonly clock: SharedClock;
  readonly keys: DataKeys;
  readonly networks: readonly NetworkName[];
  /** Whether their USDC has no value. */
  readonly isTest: boolean;
}

/** A store as this package makes it. */
export interface OpenableStore extends Store {
  open(parts: StoreParts): OpenedStore;
}

export function isOpenableStore(store: Store): store is OpenableStore {
  return 'open' in store;
}
