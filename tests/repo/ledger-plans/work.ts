import { randomBytes } from 'node:crypto';
import { recordOutcome, recordResult } from '@/lib/ledger/call-moves';
import { collectionBook } from '@/lib/ledger/channel-collection';
import { refundBook } from '@/lib/ledger/channel-refund-book';
import { readChannelItems } from '@/lib/ledger/channel-worklist';
import { beatAndFindWork } from '@/lib/ledger/due-work';
import { finalityRecord, recordRefusalFinal, refusalsToClose } from '@/lib/ledger/finality-record';
import { chargesOf, findEarlier, findPaidCall } from '@/lib/ledger/paid-call-rows';
import { findPaidCallSummary } from '@/lib/ledger/paid-call-summary';
import { settlementJournal } from '@/lib/ledger/settlement-journal';
import { abandonedCalls, heldCalls, takeOverForRecovery } from '@/lib/ledger/unfinished-calls';
import { callsPaidOn } from '@/lib/ledger/wallet-calls';
import { workRecord } from '@/lib/ledger/work-record';
import { readWorklist } from '@/lib/ledger/worklist';
import { callQuery } from '@/lib/operator/calls/filters';
import { findCalls } from '@/lib/operator/calls/find-calls';
import { readServiceFigures } from '@/lib/operator/figures/service-figures';
import { readDatabaseFigures } from '@/lib/operator/metrics/database-figures';
import { findService } from '@/lib/services';
import { listForms } from '@/lib/services/forms/list-forms';
import { listUploads } from '@/lib/services/uploads/list-uploads';
import { getOwnUpload } from '@/lib/services/uploads/ownership';
import { objectKey } from '@/lib/services/uploads/slot';
import { loadedAccount, loadedReadToken } from '@/tools/bench/loaded-rows';
import { readList } from '../../support/wallet-sign-in';
import {
  asHolder,
  charge,
  claimCall,
  deliver,
  free,
  hex,
  type Loaded,
  lister,
  prepareTransaction,
  settle,
  upload,
} from './calls';

/** Work that the service does repeatedly. */
interface RepeatedWork {
  readonly name: string;
  /** Changes the ledger first, so that there is something to do. */
  readonly before?: string;
  readonly run: (loaded: Loaded) => Promise<unknown>;
}

export const repeatedWork: readonly RepeatedWork[] = [
  {
    name: 'paid calls over a chain, and their replay',
    run: async (loaded) => {
      const { app } = loaded;
      const calls = await Promise.all(Array.from({ length: 8 }, () => claimCall(loaded)));
      const hash = await settle(loaded, calls);
      await Promise.all(calls.map((call) => deliver(loaded, call, hash)));
      await Promise.all(calls.map(({ payment }) => findEarlier(app, payment, 'another key')));
    },
  },
  {
    name: 'a reorganization',
    run: async (loaded) => {
      const { app } = loaded;
      const record = finalityRecord(app);
      const call = await claimCall(loaded);
      const hash = await settle(loaded, [call]);
      await deliver(loaded, call, hash);
      await record.notFinal(['base', 'polygon', 'arbitrum']);
      await record.hasPaidCalls('base', hash);
      const settled = await record.notFinal(['base']);
      const [settlement] = (settled.get('base') ?? []).filter((one) => one.hash === hash);
      if (!settlement) throw new Error('the settlement is not checked');
      await record.recordVanished('base', settlement, new Date());
      await recordOutcome(app, call.id, { kind: 'settled', transactionHash: hash, block: null }, new Date());
      await record.recordFinal('base', [hash], new Date());
    },
  },
  {
    name: 'a transaction in which charges fail',
    run: async (loaded) => {
      const { app, signer } = loaded;
      const journal = settlementJournal(app);
      const call = await claimCall(loaded);
      const hash = await prepareTransaction(loaded, [call]);
      await deliver(loaded, call, hash);
      await journal.leases.acquire('base', signer, []);
      await journal.outbox.recordMined({
        network: 'base',
        hash,
        block: { number: 1_000_000_000n, hash: hex(32) },
        gasUsed: 100_000n,
        feeAtomic: 1n,
        feeInVainAtomic: 1n,
        inVain: [{ paidCallId: call.id, payer: call.payment.payer, gas: 100_000n }],
        failedIds: [call.id],
        outcomes: [],
      });
    },
  },
  {
    name: 'a refusal until it is final',
    run: async (loaded) => {
      const { app } = loaded;
      const call = await claimCall(loaded);
      await recordOutcome(app, call.id, { kind: 'refused', reason: 'insufficient_funds' }, new Date());
      await refusalsToClose(app, new Date(Date.now() + 600_000), 50);
      await recordRefusalFinal(app, call.id, new Date());
    },
  },
  {
    name: 'recovery of an unfinished call',
    run: async (loaded) => {
      const { app } = loaded;
      const call = await claimCall(loaded);
      await beatAndFindWork(app, ['base', 'polygon', 'arbitrum'], new Date());
      await abandonedCalls(app, new Date(), 32);
      await heldCalls(app, app.instance.id);
      await takeOverForRecovery(app, call, app.instance.id);
      await findPaidCall(app, call.id);
      await chargesOf(app, [call.id]);
      await findPaidCallSummary(app, call.id);
      await recordOutcome(app, call.id, { kind: 'refused', reason: 'insufficient_funds' }, new Date());
    },
  },
  {
    name: 'a queue of charges for another instance',
    run: async (loaded) => {
      const journal = settlementJournal(loaded.app);
      const call = await claimCall(loaded);
      await journal.queue.enqueue({ paidCallId: call.id, payment: call.payment });
      await journal.leases.hasSigner('base');
      await journal.queue.dequeue('base');
      await journal.queue.outcomes([call.id]);
      await journal.outbox.recordDropped('base', [hex(32)]);
    },
  },
  {
    name: 'budgets for work and gas in vain',
    run: async ({ app, payer, asset }) => {
      const keys = { payer: `uncharged:browser:payer:${payer}`, address: 'uncharged:browser:address:1' };
      const since = new Date(Date.now() - 3_600_000);
      const record = workRecord(app);
      await record.add(Object.values(keys), 100, new Date());
      const who = { payer, asset };
      await record.history({ ...who, onlyOn: null }, keys, new Date());
      await record.history({ ...who, onlyOn: 'base' }, keys, new Date());
      const journal = settlementJournal(app);
      const by = { ofPayerSince: since, ofOthersSince: since, sameClient: [payer] };
      await journal.gas.gasInVain('base', payer, hex(32), by);
      await journal.gas.payersOfGasInVain('base', since);
    },
  },
  {
    name: 'a prepaid account: charges, a replay, balance, statement and uploads',
    run: async (loaded) => {
      const first = { key: randomBytes(16).toString('hex'), body: upload };
      const id = await charge(loaded, '/v1/account/uploads', first);
      await charge(loaded, '/v1/account/uploads', first);
      // Only a file that has arrived can be renewed.
      await loaded.app.store.put(objectKey(id), Buffer.from('hello'), upload);
      await charge(loaded, `/v1/account/uploads/${id}/renew`);
      await free(loaded, '/v1/account', asHolder);
      await free(loaded, '/v1/account/transactions?limit=100', asHolder);
      const middle = `/v1/account/transactions?limit=100&cursor=tx_${loaded.calls}`;
      await free(loaded, middle, asHolder);
      const page = await free(loaded, '/v1/account/uploads?limit=10', asHolder);
      await free(loaded, `/v1/account/uploads?cursor=${page.nextCursor}`, asHolder);
    },
  },
  {
    name: 'the lists of a wallet, and of a contract wallet',
    before: `
      SET session_replication_role = replica;
      UPDATE paid_call SET payer = '${lister.address}' WHERE id IN (
        SELECT id FROM paid_call WHERE network = 'base' ORDER BY created_at DESC LIMIT 5000);
      UPDATE upload SET owner = '${lister.address}' WHERE id IN (
        SELECT id FROM upload WHERE deleted_at IS NULL ORDER BY created_at DESC LIMIT 400);
      UPDATE form SET owner = '${lister.address}' WHERE id IN (
        SELECT id FROM form WHERE erased_at IS NULL ORDER BY created_at DESC LIMIT 20);
      ANALYZE paid_call`,
    run: async (loaded) => {
      const { app } = loaded;
      for (const list of ['calls', 'uploads', 'forms'] as const) {
        const { nextCursor } = await readList(app, `${list}?limit=10`, lister);
        await readList(app, `${list}?limit=10&cursor=${nextCursor}`, lister);
      }
      await readList(app, 'calls?from=2026-01-01&to=2030-01-01&limit=1000', lister);
      // All of them were paid on another network.
      const onPolygon = (ids: readonly string[]) => callsPaidOn(app, 'polygon', ids);
      await listUploads(app, lister.address, { limit: 10 }, new Date(), onPolygon);
      await listForms(app, lister.address, { limit: 10 }, new Date(), onPolygon);
    },
  },
  {
    name: 'an upload of a contract wallet, renewed and deleted',
    run: async (loaded) => {
      const { app } = loaded;
      const [bought, renewal, deletion] = await Promise.all(
        Array.from({ length: 3 }, () => claimCall(loaded)),
      );
      if (!bought || !renewal || !deletion) throw new Error('there are three calls');
      const hash = await settle(loaded, [bought]);
      await deliver(loaded, bought, hash);
      const { id } = await app.db.upload.findUniqueOrThrow({ where: { paidCallId: bought.id } });
      const payer = { payer: loaded.payer, onlyOn: 'base', now: new Date() };
      await getOwnUpload(app, id, payer);
      const paid = { ...payer, transactionHash: hash, prepared: null };
      await findService('uploads.renew')?.deliver(app, { id }, { ...paid, paidCallId: renewal.id });
      await findService('uploads.delete')?.deliver(app, { id }, { ...paid, paidCallId: deletion.id });
      await app.db.upload.findUniqueOrThrow({ where: { id, renewalCount: 1, deletedBy: deletion.id } });
    },
  },
  {
    name: 'a deposit into a prepaid account',
    run: async (loaded) => {
      const { app } = loaded;
      const call = await claimCall(loaded);
      await settle(loaded, [call]);
      await recordResult(app, call, { status: 200, body: '{}' }, loadedAccount.id, new Date());
    },
  },
  {
    name: 'the answers to a form',
    run: async (loaded) => {
      const path = `/v1/forms/${loaded.formId}/responses`;
      const headers = { Authorization: `Bearer ${loadedReadToken}` };
      await free(loaded, path, headers);
      await free(loaded, `${path}?cursor=r50&limit=20`, headers);
    },
  },
  {
    name: "the operator's worklist",
    run: ({ app }) => readWorklist(app, 100),
  },
  {
    name: 'the figures for the metrics',
    run: ({ app }) => readDatabaseFigures(app),
  },
  {
    name: 'the figures for everybody',
    run: ({ app }) => readServiceFigures(app, 500),
  },
  {
    name: "an operator's searches for calls",
    before: `
      SET session_replication_role = replica;
      UPDATE paid_call SET state = 'refunded', moved_at = now() WHERE id IN (
        SELECT id FROM paid_call WHERE state = 'delivered' AND operation = 'uploads.create' ORDER BY created_at LIMIT 1500)`,
    run: async ({ app, payer }) => {
      const [call] = (await findCalls(app, callQuery.parse({ network: 'base' }))).calls;
      if (!call?.transactionHash) throw new Error('there is no call on base');
      const queries: Record<string, string>[] = [
        {},
        { limit: '200', operation: 'forms.create' },
        { operation: 'render.pdf' },
        { state: 'delivered', network: 'base' },
        { state: 'refunded', rail: 'x402' },
        { state: 'settling' },
        { payer },
        { payer: `acct_${'0'.repeat(24)}` },
        { transaction: call.transactionHash },
        { id: call.id },
        { from: '2026-01-01', to: new Date().toISOString(), payer: loadedAccount.id },
      ];
      for (const query of queries) {
        const first = await findCalls(app, callQuery.parse(query));
        if (first.nextCursor) await findCalls(app, callQuery.parse({ ...query, cursor: first.nextCursor }));
      }
    },
  },
  {
    name: 'every job',
    before: `
      UPDATE paid_call SET answer_expires_at = now() - interval '1 second' WHERE id IN (
        SELECT id FROM paid_call WHERE answer IS NOT NULL ORDER BY created_at LIMIT 300);
      UPDATE upload SET expires_at = now() - interval '1 second' WHERE id IN (
        SELECT id FROM upload WHERE deleted_at IS NULL ORDER BY created_at LIMIT 20);
      UPDATE form SET readable_until = now() - interval '1 second' WHERE id IN (
        SELECT id FROM form WHERE erased_at IS NULL ORDER BY readable_until LIMIT 2)`,
    run: async ({ app }) => {
      for (const { run } of app.jobs) await run(new Date());
    },
  },
  {
    name: 'events of payees that are not ours, and of a former one',
    run: async ({ app }) => {
      const payees = [
        { receiver: '0x2', token: '0x4' },
        ...Array.from({ length: 200 }, () => ({ receiver: hex(20), token: '0x4' })),
        ...Array.from({ length: 200 }, () => ({ receiver: '0x2', token: hex(20) })),
      ];
      await collectionBook(app).knownPayees('base', payees);
    },
  },
  {
    name: 'the payment channels that are due, however many have less unclaimed than is worth a claim',
    before: `UPDATE channel SET charged_atomic = charged_atomic + 5000,
      refund_nonce = CASE WHEN id = '0x2' THEN 5 ELSE 0 END; ANALYZE channel`,
    run: async ({ app }) => {
      await collectionBook(app).due('base', { limit: 50, isClosing: false });
      await refundBook(app).refunding('base', 20);
      await refundBook(app).idle('base', { receiver: '0x2', receiverAuthorizer: '0x3', token: '0x4' }, 20);
      await readChannelItems(app, 100);
      // One that has not paid for its refunds.
      const asked = { channelId: '0x2', totalAtomic: 10_000n, atomic: null, isUsable: true };
      await refundBook(app).promise(asked);
    },
  },
];
