import type { PlantedBug } from './bugs';

const charge = 'lib/calls/charge.ts';
const sender = 'lib/payments/evm/evm-sender.ts';
const resolver = 'lib/payments/evm/resolve-outcome.ts';
const calls = ['tests/simulation/call-orders.spec.ts'];
const settlements = ['tests/simulation/settlement-orders.spec.ts'];
const interleavings = ['tests/repo/journal-interleavings.spec.ts'];

const refunds = ['tests/simulation/refund-histories.spec.ts'];

/** Mistakes that show only when things happen in a certain order, or at once. */
export const orderBugs: readonly PlantedBug[] = [
  {
    bug: 'a refund is confirmed before its block is final',
    changes: [
      {
        file: 'lib/operator/refunds/follow.ts',
        find: '  } else if (isFinal) {\n    await app.refunds.recordConfirmed',
        replace: '  } else if (isFinal || free) {\n    await app.refunds.recordConfirmed',
      },
    ],
    foundBy: refunds,
  },
  {
    bug: 'a refund is cancelled that a wallet may still send',
    changes: [
      {
        file: 'lib/operator/refunds/examine-refund.ts',
        find: "    if (maySend) throw new RefundError('wallet_may_send');\n",
        replace: '',
      },
    ],
    foundBy: refunds,
  },
  {
    bug: 'a refund on Solana is signed again while its transaction may still get into a block',
    changes: [
      {
        file: 'lib/payments/solana/solana-refund-reader.ts',
        find: '    return !(await this.mayBePending(sentAt, end));',
        replace: '    return sentAt.getTime() > 0 || !(await this.mayBePending(sentAt, end));',
      },
    ],
    foundBy: ['tests/simulation/solana-settler.spec.ts'],
  },
  {
    bug: 'a call that is taken up again is charged again, whether its payment was made or not',
    changes: [
      {
        file: charge,
        find: '    : settleAgain(deps, call, settler, charged, work.deadline);',
        replace: `    : settleAgain(deps, call, settler, charged, work.deadline).then(() => settler.settle(charged));`,
      },
    ],
    foundBy: calls,
  },
  {
    bug: 'a retry does not take over the call that it advances',
    changes: [
      {
        file: 'lib/calls/answer-retry.ts',
        find: 'const taken = await orUnknown(purchase, calls.takeOver(call), call.id);',
        replace: 'const taken = call;',
      },
    ],
    foundBy: calls,
  },
  {
    bug: 'a request that loses the race for its payment charges it too',
    changes: [
      {
        file: 'lib/calls/buy.ts',
        find: '  const answered = owner && (await answerRetry(deps, purchase, owner));\n',
        replace: `  const { service } = purchase;
  const answered: PurchaseResult | null = owner && {
    ...{ kind: 'called', call: owner.call, isReplay: true },
    result: await deps.runs.advance({ ...owner.call, state: 'settling' }, { service }, true),
  };
`,
      },
    ],
    foundBy: calls,
  },
  {
    bug: 'a call with an unknown outcome is not tried again',
    changes: [
      {
        file: charge,
        find: `    await scheduleRetry(deps, call);
    return { kind: 'unknown' };`,
        replace: `    return { kind: 'unknown' };`,
      },
    ],
    foundBy: calls,
  },
  {
    bug: 'a third party is asked before the settlement is recorded',
    changes: [
      {
        file: 'lib/calls/deliver.ts',
        find: 'const begins = !call.answer && !work.service.callsThirdParty;',
        replace: 'const begins = !call.answer;',
      },
    ],
    foundBy: calls,
  },
  {
    bug: 'a third party is called while the ledger says that nothing was sent',
    changes: [
      {
        file: 'lib/calls/deliver.ts',
        find: '(await deps.calls.recordSending(call.id))',
        replace: 'true',
      },
    ],
    foundBy: ['tests/simulation/paid-calls.spec.ts'],
  },
  {
    bug: 'a call is answered before its settlement is recorded',
    changes: [
      {
        file: 'lib/calls/deliver.ts',
        find: '    await recorded;\n',
        replace: '    recorded.catch(() => undefined);\n',
      },
    ],
    foundBy: calls,
  },
  {
    bug: 'a transaction is sent before it is recorded',
    changes: [
      {
        file: sender,
        find: `    await this.#journal.outbox.recordPrepared(
      toPrepared(this.#chain, signer.address, nonce, charges, signed),
    );
    this.#lease.allocated(held, nonce);
    this.#pending.submit({ signer, nonce, charges, variants: [signed] });`,
        replace: `    const recording = this.#journal.outbox.recordPrepared(
      toPrepared(this.#chain, signer.address, nonce, charges, signed),
    );
    this.#lease.allocated(held, nonce);
    this.#pending.submit({ signer, nonce, charges, variants: [signed] });
    await recording;`,
      },
    ],
    foundBy: settlements,
  },
  {
    bug: 'the next nonce is chosen before the transaction with the last one is recorded',
    changes: [
      {
        file: sender,
        find: 'await this.#nonceLock.run(() => this.#sendWith(held, charges, options), options.place);',
        replace: 'await this.#sendWith(held, charges, options);',
      },
    ],
    foundBy: settlements,
  },
  {
    bug: 'a process refuses what another has sent',
    changes: [
      {
        file: 'lib/ledger/call-moves.ts',
        find: 'carrier.id = paid_call.settlement_id AND',
        replace: 'carrier.id = paid_call.settlement_id OR',
      },
    ],
    foundBy: ['tests/repo/journal.spec.ts'],
  },
  {
    bug: 'a process sends what another has refused',
    changes: [
      {
        file: 'lib/ledger/settlement-journal.ts',
        find: "WHERE state <> 'refused' OR settlement_id IN",
        replace: 'WHERE state IS NOT NULL OR settlement_id IN',
      },
    ],
    foundBy: ['tests/repo/journal.spec.ts'],
  },
  {
    bug: 'a settlement is final with the block after it',
    changes: [
      {
        file: 'lib/payments/evm/evm-finality.ts',
        find: 'return height >= block.number + BigInt(this.#chain.offer.finalityBlocks);',
        replace: 'return height > block.number;',
      },
    ],
    foundBy: ['tests/unit/evm-finality.spec.ts'],
  },
  {
    bug: 'a transaction that was replaced is not looked for any more',
    changes: [
      {
        file: 'lib/payments/evm/pending-transactions.ts',
        find: 'for (const { hash } of pending.variants) {',
        replace: 'for (const { hash } of pending.variants.slice(-1)) {',
      },
    ],
    foundBy: settlements,
  },
  {
    bug: 'an authorization that was used counts as paid, however it was used',
    changes: [
      {
        file: resolver,
        find: '  if (isUsed) return usedOrCancelled(client, token, payment, sinceHeight, BigInt(offer.finalityBlocks));\n',
        replace: `  if (isUsed) {
    const found = await usedOrCancelled(client, token, payment, sinceHeight, BigInt(offer.finalityBlocks));
    return found?.kind === 'settled' ? found : { kind: 'settled', transactionHash: transactionHash ?? '0x', block: null };
  }
`,
      },
    ],
    foundBy: settlements,
  },
  {
    bug: 'a payment expires by the clock of the process that asks',
    changes: [
      {
        file: resolver,
        find: '  if (finalized.timestamp < validBefore) return null;\n',
        replace: '',
      },
    ],
    foundBy: settlements,
  },
  {
    bug: 'of several RPCs that disagree, one is believed',
    changes: [
      {
        file: 'lib/payments/evm/evm-chain.ts',
        find: 'return isUnanimous ? first : null;',
        replace: 'return isUnanimous ? first : (others.at(-1) ?? null);',
      },
    ],
    foundBy: settlements,
  },
  {
    bug: 'the transactions of a nonce are locked in no order',
    changes: [
      {
        file: 'lib/ledger/lock-rows.ts',
        find: '  ORDER BY id FOR NO KEY UPDATE`;\n\n',
        replace: '  ORDER BY hash <> $2 FOR NO KEY UPDATE`;\n\n',
      },
    ],
    foundBy: interleavings,
  },
  {
    bug: 'a call that another process undoes while its transaction is recorded is not settled',
    changes: [
      {
        file: 'lib/ledger/mined-transactions.ts',
        find: '    if (rows[0]?.isRaced) await app.statements.query(updateMined, values);',
        replace: '    void rows;',
      },
    ],
    foundBy: interleavings,
  },
  {
    bug: 'a call that is found settled while its transaction is dropped keeps that payment',
    changes: [
      {
        file: 'lib/ledger/settlement-transactions.ts',
        find: '    { network, hashes },\n',
        replace: '    { network, hashes: [] },\n',
      },
    ],
    foundBy: interleavings,
  },
  {
    bug: 'a refusal is final although a reorganization can undo it',
    changes: [
      {
        file: 'lib/calls/refusal.ts',
        find: "      if (outcome.isReversible) return 'refused';\n",
        replace: '',
      },
    ],
    foundBy: calls,
  },
  {
    bug: 'a cancellation counts as final at once',
    changes: [
      {
        file: resolver,
        find: '  return finalized.number >= blockNumber ? refused : { ...refused, isReversible: true };',
        replace: '  return finalized.number >= 0n && blockNumber >= 0n ? refused : refused;',
      },
    ],
    foundBy: settlements,
  },
  {
    bug: 'a replaced transaction that returns is not followed',
    changes: [
      {
        file: 'lib/ledger/states.ts',
        find: "  returned: { from: ['replaced'], to: 'prepared', sets: { reorganized_at: 'at' } },",
        replace: "  returned: { from: ['vanished'], to: 'prepared', sets: { reorganized_at: 'at' } },",
      },
    ],
    foundBy: ['tests/repo/journal.spec.ts'],
  },
];
