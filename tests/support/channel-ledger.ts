import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { channelBook } from '@/lib/ledger/channel-book';
import { refundBook } from '@/lib/ledger/channel-refund-book';
import type { VoucherCharge } from '@/lib/payments/channels/channel';
import { type LedgerApp, openLedgerApp } from './ledger-app';

/** The payer of channels that name no other. */
export const payer = `0x${'1'.repeat(40)}`;
/** What each call costs, in atomic USDC. */
export const price = 5_000n;

/** What the contract holds of a channel, in atomic USDC, and whose it is. */
export interface Figures {
  readonly network?: string;
  readonly payer?: string;
  readonly balance?: bigint;
  readonly withdrawing?: bigint;
  readonly claimed?: bigint;
  readonly opened?: bigint;
  readonly readAt?: Date;
}

/** A ledger with payment channels, without a chain. Each was first seen a day ago. */
export interface ChannelLedger {
  readonly opened: LedgerApp;
  readonly ledger: pg.Pool;
  /** @returns the channel's id */
  newChannel(figures?: Figures): Promise<string>;
  /** Claims a call that is to be paid by a voucher for this total. */
  claim(channelId: string, total: bigint): Promise<VoucherCharge>;
  charge(voucher: VoucherCharge): ReturnType<ReturnType<typeof channelBook>['charge']>;
  /** Asks for everything that is left, with a voucher for this total. */
  askAll(channelId: string, totalAtomic?: bigint): ReturnType<ReturnType<typeof refundBook>['promise']>;
  close(): Promise<void>;
}

export async function openChannelLedger(): Promise<ChannelLedger> {
  const opened = await openLedgerApp();
  const { ledger } = opened;
  return {
    opened,
    ledger,
    async newChannel({
      network = 'base',
      payer: of = payer,
      balance = 1_000_000n,
      withdrawing = 0n,
      claimed = 0n,
      opened: from = claimed,
      readAt = new Date(),
    } = {}) {
      const id = `0x${randomBytes(32).toString('hex')}`;
      await ledger.query(
        `INSERT INTO channel (id, network, payer, receiver, receiver_authorizer, token, withdraw_delay, salt, balance_atomic,
           withdrawing_atomic, claimed_atomic, read_at_block, read_at, opened_atomic, charged_atomic, created_at)
         VALUES ($1, $8, $2, '0x02', '0x03', '0x04', 86400, '0x00', $3, $4, $5, 1, $6, $7, $7, now() - interval '1 day')`,
        [id, of, balance, withdrawing, claimed, readAt, from, network],
      );
      return id;
    },
    async claim(channelId, total) {
      const paidCallId = `pc_${randomBytes(12).toString('hex')}`;
      await ledger.query(
        `INSERT INTO paid_call (id, operation, rail, network, asset, payer, "authorization", amount_atomic, pay_to,
           request_hash, state, payment, valid_before, attempt_at, created_at, moved_at, channel_id, idempotency_key_hash)
         VALUES ($1, 'uploads.create', 'x402', 'base', 'USDC', $2, $3, $4, 'us', 'request', 'settling', 'payment', now(), now(),
           now(), now(), $5, $6)`,
        [paidCallId, payer, `${channelId}:${total}`, price, channelId, randomBytes(32)],
      );
      const readSince = new Date(Date.now() - 60_000);
      const signature = `signature of ${total}`;
      return { paidCallId, channelId, maxClaimableAtomic: total, signature, readSince, isFlushedLater: true };
    },
    charge: (voucher) => channelBook(opened.app).charge(voucher),
    askAll: (channelId, totalAtomic = 0n) =>
      refundBook(opened.app).promise({ channelId, totalAtomic, atomic: null, isUsable: true }),
    close: () => opened.close(),
  };
}

/** A payer of its own for each channel, because a wallet gets one refund a day. */
export const newPayer = () => `0x${randomBytes(20).toString('hex')}`;
