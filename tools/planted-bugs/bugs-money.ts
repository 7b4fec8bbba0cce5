import type { PlantedBug } from './bugs';

const migration = 'prisma/migrations/29990101000000_planted/migration.sql';

/** Mistakes in the payment of a call, its delivery and its refund. */
export const moneyBugs: readonly PlantedBug[] = [
  {
    bug: 'the unique index that binds a payment to one call is gone',
    changes: [
      {
        file: migration,
        find: '',
        replace: 'DROP INDEX "paid_call_network_asset_payer_authorization_key";\n',
      },
    ],
    foundBy: ['tests/repo/call-store.spec.ts'],
  },
  {
    bug: 'an unknown settlement counts as refused, and its payment is free again',
    changes: [
      {
        file: 'lib/calls/charge.ts',
        find: `  const outcome = await timePhase(deps, service.operation, 'settle', settling);`,
        replace: `  const settledOrNot = await timePhase(deps, service.operation, 'settle', settling);
  const outcome: Outcome =
    settledOrNot.kind === 'unknown' ? { kind: 'refused', reason: 'unknown' } : settledOrNot;`,
      },
    ],
    foundBy: ['tests/simulation/call-orders.spec.ts'],
  },
  {
    bug: 'an unknown settlement is delivered',
    changes: [
      {
        file: 'lib/calls/charge.ts',
        find: `  const outcome = await timePhase(deps, service.operation, 'settle', settling);`,
        replace: `  const settledOrNot = await timePhase(deps, service.operation, 'settle', settling);
  const outcome: Outcome =
    settledOrNot.kind === 'unknown'
      ? { kind: 'settled', transactionHash: settledOrNot.transactionHash, block: null }
      : settledOrNot;`,
      },
    ],
    foundBy: ['tests/simulation/call-orders.spec.ts'],
  },
  {
    bug: 'the work is done before the payment',
    changes: [
      {
        file: 'lib/calls/charge.ts',
        find: `  if (!settler) throw new Error(\`no settler for \${call.payment.network}\`);`,
        replace: `  if (!settler) throw new Error(\`no settler for \${call.payment.network}\`);
  await service
    .deliver(call.input, { ...call.payment, onlyOn: null, paidCallId: call.id, ...call, now: clock.date() })
    .catch(() => null);`,
      },
    ],
    foundBy: ['tests/simulation/call-orders.spec.ts'],
  },
  {
    bug: 'a receipt with success counts, whether it has the transfer or not',
    changes: [
      {
        file: 'lib/payments/evm/authorized-transfers.ts',
        find: '  return seen.has(nameOf({ from: payer, nonce: authorization, to: payTo, valueAtomic: amountAtomic }));',
        replace: '  return true;',
      },
    ],
    foundBy: ['tests/unit/authorized-transfers.spec.ts'],
  },
  {
    bug: 'the use of an authorization and a transfer count that do not belong together',
    changes: [
      {
        file: 'lib/payments/evm/authorized-transfers.ts',
        find: '    const transfer = ofToken[index + 1];',
        replace: '    const transfer = ofToken.findLast(({ topics: [name] }) => name === transferTopic);',
      },
    ],
    foundBy: ['tests/unit/authorized-transfers.spec.ts'],
  },
  {
    bug: 'a transaction that reverts whole takes no payment back, because nobody is named for its gas',
    changes: [
      {
        file: 'lib/ledger/mined-transactions.ts',
        find: '  if (failedIds.length > 0) {',
        replace: '  if (inVain.length > 0) {',
      },
    ],
    foundBy: ['tests/repo/journal.spec.ts'],
  },
  {
    bug: 'a secret is told to whoever sends the payment again',
    changes: [
      {
        file: 'lib/http/respond-result.ts',
        find: '  return signed.idempotencyKey !== null || result.isFirst;',
        replace: '  return true;',
      },
    ],
    foundBy: ['tests/api/forms.spec.ts'],
    needsServers:
      'which fields a response has is decided where the server writes it, from the headers of the request',
  },
  {
    bug: 'the token or the key of the first request is not asked for, so an observer of the chain gets the answer',
    changes: [
      {
        file: 'lib/calls/replay.ts',
        find: '  if (holdsKey || holdsToken || isPrivate) return { call, isProven: true };',
        replace: '  if (true) return { call, isProven: true };',
      },
    ],
    foundBy: ['tests/unit/replay.spec.ts'],
  },
  {
    bug: 'after a reorganization took the payment of a delivered call, anybody with the payment gets its answer',
    changes: [
      {
        file: 'lib/calls/replay.ts',
        find: 'isProven: call.answer === null || holdsKey || holdsToken || isPrivate',
        replace: 'isProven: true',
      },
    ],
    foundBy: ['tests/unit/replay.spec.ts'],
  },
  {
    bug: 'a refusal is told although another process has reopened the call since it was read',
    changes: [
      {
        file: 'lib/calls/refusal.ts',
        find: "return current?.state === 'refused' ? result : { kind: 'unknown' };",
        replace: 'return current ? result : result;',
      },
    ],
    foundBy: ['tests/unit/replay.spec.ts'],
  },
  {
    bug: 'a payment buys another request than the one that it paid for',
    changes: [
      {
        file: 'lib/calls/replay.ts',
        find: '  if (!call.requestHash.equals(signed.requestHash)) {',
        replace: '  if (call.requestHash.length !== signed.requestHash.length) {',
      },
    ],
    foundBy: ['tests/unit/replay.spec.ts'],
  },
  {
    bug: 'a reorganization is not noticed',
    changes: [
      {
        file: 'lib/payments/evm/evm-finality.ts',
        find: '  return hash === null ? null : hash === block.hash;',
        replace: '  return hash === null ? null : true;',
      },
    ],
    foundBy: ['tests/unit/evm-finality.spec.ts'],
  },
  {
    bug: 'a newer settlement vouches for every older one',
    changes: [
      {
        file: 'lib/payments/evm/evm-finality.ts',
        find: '    const fresh = recorded.filter(isDue).slice(0, comparedMax);',
        replace: '    const fresh = recorded.slice(0, 1);',
      },
      {
        file: 'lib/payments/evm/evm-finality.ts',
        find: '    const deep = recorded.filter((block) => this.#isDeep(block, height)).slice(-comparedMax);',
        replace: '    const deep: Block[] = [];',
      },
      {
        file: 'lib/payments/evm/evm-finality.ts',
        find: '    const proved = new Set(known.map(keyOf));',
        replace:
          '    const proved = new Set(fresh.some((block) => isInChain(block, hashes)) ? recorded.map(keyOf) : []);',
      },
      {
        file: 'lib/payments/evm/evm-finality.ts',
        find: "  if (isThere === null) return proved.has(keyOf(block)) ? { kind: 'included', block } : null;",
        replace:
          "  if (isThere === null) return proved.has(keyOf(block)) ? { kind: isDeep ? 'final' : 'included', block } : null;",
      },
    ],
    foundBy: ['tests/unit/evm-finality.spec.ts'],
  },
  {
    bug: 'two new blocks that a node tells in one check count as one chain',
    changes: [
      {
        file: 'lib/payments/evm/evm-finality.ts',
        find: '    return height < block.number + BigInt(recentBlocks);',
        replace: '    return height < block.number - BigInt(recentBlocks);',
      },
    ],
    foundBy: ['tests/unit/evm-finality.spec.ts'],
  },
  {
    bug: 'an empty transaction takes the nonce of one that a reorganization removed',
    changes: [
      {
        file: 'lib/payments/evm/evm-sender.ts',
        find: '    if (nonce === null || (await this.#lease.sendAgain(held, nonce))) return;',
        replace: '    if (nonce === null) return;',
      },
    ],
    foundBy: ['tests/simulation/settlement-orders.spec.ts'],
  },
  {
    bug: 'a payment that another server is sending again is made in a second transaction',
    changes: [
      {
        file: 'lib/calls/charge.ts',
        find: '  if (await within(deadline, isFollowed(settler, charged), true)) return found;',
        replace: '',
      },
    ],
    foundBy: ['tests/simulation/call-orders.spec.ts'],
  },
  {
    bug: 'a call is answered before its answer is stored',
    changes: [
      {
        file: 'lib/calls/deliver.ts',
        find: `  if (await timePhase(deps, { id: call.operation }, 'record', recording)) {`,
        replace: `  recording.catch(() => null);
  if (true) {`,
      },
    ],
    foundBy: ['tests/simulation/call-orders.spec.ts'],
  },
  {
    bug: 'a call is taken from a server that lives',
    changes: [
      {
        file: 'lib/ledger/unfinished-calls.ts',
        find: `        OR NOT EXISTS (SELECT 1 FROM instance WHERE instance.id = worked_by AND alive_until > now()))
    RETURNING`,
        replace: `        OR true)
    RETURNING`,
      },
    ],
    foundBy: ['tests/repo/call-store.spec.ts'],
  },
  {
    bug: 'an account pays what it does not have',
    changes: [
      {
        file: 'lib/ledger/account-book.ts',
        find: 'AND balance_atomic >= call.amount_atomic',
        replace: 'AND balance_atomic >= 0',
      },
    ],
    foundBy: ['tests/repo/call-store.spec.ts'],
  },
  {
    bug: 'a transfer of any amount counts as the refund',
    changes: [
      {
        file: 'lib/payments/evm/evm-refund-reader.ts',
        find: 'const exact = toRecipient.filter(({ args }) => args.value === amountAtomic);',
        replace: 'const exact = toRecipient;',
      },
    ],
    foundBy: ['tests/simulation/settlement-orders.spec.ts'],
  },
  {
    bug: 'each process goes by the clock of its own machine',
    changes: [
      {
        file: 'lib/app/index.ts',
        find: 'const platform = { settings, clock, timings',
        replace: 'const platform = { settings, clock: machineClock, timings',
      },
    ],
    foundBy: ['tests/repo/app-clock.spec.ts'],
  },
  {
    bug: 'a Solana payment counts as taken away when a node has no status of it',
    changes: [
      {
        file: 'lib/payments/solana/solana-statuses.ts',
        find: 'if (blocks.length === 0) return null;',
        replace: "if (blocks.length >= 0) return 'vanished';",
      },
    ],
    foundBy: ['tests/repo/finality.spec.ts'],
  },
  {
    bug: 'a transaction of a smart wallet counts as its payment because it has no error',
    changes: [
      {
        file: 'lib/payments/solana/solana-statuses.ts',
        find: "return first ? status : { ...status, kind: 'failed' };",
        replace: 'return status;',
      },
    ],
    foundBy: ['tests/simulation/solana-settler.spec.ts'],
  },
  {
    bug: 'what one of several nodes says of the payment of a smart wallet suffices',
    changes: [
      {
        file: 'lib/payments/solana/solana-statuses.ts',
        find: 'if (first == null || others.some((other) => other !== first))',
        replace: 'if (first == null)',
      },
    ],
    foundBy: ['tests/simulation/solana-settler.spec.ts'],
  },
  {
    bug: 'after a fork, a transaction of a smart wallet counts as its payment again without another look',
    changes: [
      {
        file: 'lib/payments/solana/solana-statuses.ts',
        find: 'const isSure = !isMoved || (await this.#isPlainTransfer(hash));',
        replace: 'const isSure = true || (await this.#isPlainTransfer(hash));',
      },
    ],
    foundBy: ['tests/simulation/solana-settler.spec.ts'],
  },
  {
    bug: 'a smart wallet is charged more than the price',
    changes: [
      {
        file: 'lib/payments/solana/smart-wallet.ts',
        find: 'paid.amount === transfer.amountAtomic.toString() &&',
        replace: 'BigInt(paid.amount) >= transfer.amountAtomic &&',
      },
    ],
    foundBy: ['tests/simulation/solana-settler.spec.ts'],
  },
];
