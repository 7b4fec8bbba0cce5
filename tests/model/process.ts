import { openSettlementStates, openStates, paidStates, submittedStates } from '@/lib/ledger/states';
import type { Step } from './checker';
import {
  type Answer,
  type Holder,
  type Limits,
  move,
  moveTransaction,
  noWork,
  type Process,
  type ProcessName,
  processNames,
  type Row,
  type State,
} from './state';
import { type Expiry, less, type PayerAct } from './world';

/**
 * What a process does for the call, in the steps in which it can be killed: each is one statement, one question to the chain, or
 * one response. The comments name the code that a step stands for.
 */

/** What is varied between explorations. */
export interface Variant {
  /** Whether something is prepared before the charge (`isPrepared` of a service). */
  readonly prepares: boolean;
  readonly paysFrom: 'wallet' | 'account';
  /** Who sends the second request: the owner again, or somebody who has copied the payment and has neither key nor token. */
  readonly second: 'owner' | 'stranger';
  /** Whether deliveries may fail, and operators refund. */
  readonly fails: boolean;
  readonly payer: readonly PayerAct[];
  readonly expires: Expiry;
  readonly limits: Limits;
  readonly mistake?: Mistake;
  /** Weaknesses of the product that the model has too. Without them it does what would be right. */
  readonly weaknesses?: readonly Weakness[];
}

/** Steps of the product that break a promise. The model shows how. */
export type Weakness = 'nodes that all lie about a transaction are believed after its failure was recorded';

/** Deliberate mistakes, each of which the checker must find. */
export type Mistake =
  | 'answers before the payment is settled'
  | 'says that nothing is charged when it does not know'
  | 'sends while another process has the key'
  | 'debits without looking at the state'
  | 'trusts its own clock about expiry'
  | 'takes an unused payment for a refused one'
  | 'refuses while a transaction is open'
  | 'claims without a unique key'
  | 'shows the stored answer to anybody'
  | 'shows the stored answer of a final refusal to anybody'
  | 'answers a refusal that another process has reopened'
  | 'ignores removed blocks'
  | 'leaves unknown outcomes alone'
  | 'answers again with what it made itself';

/** The result of a request, as its sender is told. */
type Result = Answer | 'not charged' | 'unknown' | 'used' | 'pending' | 'attention' | 'refunded';

interface Context {
  readonly state: State;
  readonly name: ProcessName;
  readonly process: Process;
  readonly variant: Variant;
}

export function processSteps(state: State, variant: Variant): Step<State>[] {
  return processNames.flatMap((name) => {
    const context = { state, name, process: state.processes[name], variant };
    return [...foreground(context), ...background(context)].map((step) => ({
      ...step,
      label: `${name} ${step.label}`,
    }));
  });
}

/** The state in which the process has come to another step. */
function to(
  { state, name, process }: Context,
  at: string,
  more: Partial<Process> = {},
  changed = state,
): State {
  const moved = { ...changed.processes[name], request: process.request, known: '', ...more, at };
  return { ...changed, processes: { ...changed.processes, [name]: moved } };
}

const work = (label: string, next: State): Step<State> => ({ label, kind: 'work', next });

const isStranger = ({ process, variant }: Context) => process.request === 2 && variant.second === 'stranger';

/** Whether no live process has it, as far as this one can tell. */
function isFree({ state, name }: Context, holder: Holder | null): boolean {
  if (holder === null) return true;
  return holder !== 'dead' && holder !== name && state.processes[holder].isSilent;
}

/** lib/calls/preparation.ts, `canRestart` */
const canRestart = (row: Row) => row.state === 'refused' && row.refusal_reason === 'preparation';

const isOpenTransaction = ({ ours }: State) => ours !== null && openSettlementStates.includes(ours.state);

/**
 * The result is sent, unless nobody waits for it (lib/http/respond-result.ts). Deciding on it and sending it are one step here: a
 * process that is killed in between has sent nothing, as one that is killed before.
 */
function respond(context: Context, result: Result, changed = context.state): State {
  const { name, process } = context;
  const rested = { ...changed, processes: { ...changed.processes, [name]: noWork(changed.processes[name]) } };
  if (process.request === 0) return rested;
  if (result === 'not charged') return { ...rested, isDenied: true };
  if (result !== 'delivered' && result !== 'kept') return rested;
  if (isStranger(context)) return { ...rested, broken: '10: nobody but its owner gets the answer' };
  const isOther = changed.told !== null && changed.told !== result;
  return {
    ...rested,
    told: result,
    broken: isOther ? '9: a repeated request gets the same answer' : changed.broken,
  };
}

function foreground(context: Context): Step<State>[] {
  switch (context.process.at) {
    case 'idle':
      return whileIdle(context);
    case 'look up':
      return lookUp(context);
    case 'verify':
      return verify(context);
    case 'look for a winner':
      return lookForWinner(context);
    case 'look for an earlier use':
      return lookForUse(context);
    case 'claim':
      return claim(context);
    case 'prepare':
      return prepare(context);
    case 'submit':
      return submit(context);
    case 'refuse unsent':
      return refuseUnsent(context);
    case 'wait':
      return waitForOutcome(context);
    case 'look at the chain':
      return lookAtChain(context);
    case 'submit again':
      return submitAgain(context);
    case 'record':
      return recordOutcome(context);
    case 'deliver':
      return deliver(context);
    case 'store':
      return store(context);
    case 'check the refusal':
      return checkRefusal(context);
    case 'record the check':
      return recordCheck(context);
    case 'take the paid call':
      return takePaid(context);
    case 'reopen':
      return reopen(context);
    case 'record the reopening':
      return recordReopening(context);
    default:
      throw new Error(`there is no step "${context.process.at}"`);
  }
}

/** Requests, and the jobs of lib/jobs. A process that is busy leaves the jobs to the other one. */
function whileIdle(context: Context): Step<State>[] {
  const { state, name, variant } = context;
  const { row, chain } = state;
  const other = state.processes[name === 'A' ? 'B' : 'A'];
  const steps: Step<State>[] = [];
  for (const request of [1, 2] as const) {
    // A stranger copies what was sent to the chain.
    // The owner's requests are all the same, and each process works on one at a time.
    const isPossible = variant.second === 'owner' ? request === 1 : other.request !== request;
    if (!isPossible || (request === 2 && !chain.isPublic)) continue;
    const asking = { ...context, process: { ...context.process, request, known: '' } };
    const who = request === 1 ? '' : ' of a stranger';
    for (const step of lookUp(asking))
      steps.push({ ...step, kind: 'client', label: `gets a request${who} and ${step.label}` });
  }
  if (!row) return steps;
  if (openStates.includes(row.state)) {
    if (isFree(context, row.worked_by) && isRecovered(variant, row))
      steps.push(work('recovers the call', recover(context, row)));
    // lib/jobs/idle-calls.ts
    if (row.worked_by === name)
      steps.push(work('releases the call', { ...state, row: { ...row, worked_by: null } }));
  }
  // lib/jobs/finality-checks.ts, `closeRefusals`
  if (row.state === 'refused' && row.refusal_final_at === null && chain.time > 0)
    steps.push(work('closes the refusal', to(context, 'check the refusal', { known: 'job' })));
  return [...steps, ...adopt(context), ...checkFinality(context)];
}

const isRecovered = ({ mistake }: Variant, { state }: Row) =>
  !(mistake === 'leaves unknown outcomes alone' && state === 'unknown');

/** lib/jobs/recovery.ts, `recover` */
function recover(context: Context, row: Row): State {
  const taken = { ...context.state, row: { ...row, worked_by: context.name } };
  if (row.state !== 'claimed') return advance(context, taken);
  // Nothing was submitted. Taking it over and refusing it are two statements, and the first alone changes nothing for others.
  return move(taken, ['unprepared', 'unpreparedAgain'], { refusal_reason: 'preparation' }) ?? taken;
}

/** lib/calls/advance-call.ts, `advance`, of a call that this process has taken over */
function advance(context: Context, taken: State): State {
  const { answer = null, state = 'claimed' } = taken.row ?? {};
  const read = withInput(taken);
  if (state === 'claimed') return to(context, 'prepare', { answer }, read);
  if (state === 'settled') return to(context, 'deliver', { answer }, read);
  return to(context, 'look at the chain', { known: state, answer }, taken);
}

/** lib/calls/answer-retry.ts, `findReplay` and `answerRetry`, and lib/calls/replay.ts, `recognizeReplay` */
function lookUp(context: Context): Step<State>[] {
  const { state, process, variant } = context;
  const { row } = state;
  if (!row) return [work('finds no call', to(context, 'verify'))];
  if (canRestart(row) && process.known !== 'owner')
    return [work('finds a call to restart', to(context, 'verify', { known: 'again' }))];
  const showsAll = variant.mistake === 'shows the stored answer to anybody';
  if (isStranger(context) && row.refusal_final_at === null && !showsAll) {
    return row.state === 'refused'
      ? [work('finds a refusal', to(context, 'check the refusal', { known: 'unproven' }))]
      : [work('finds the call of somebody else', respond(context, 'used'))];
  }
  const showsFinal = variant.mistake === 'shows the stored answer of a final refusal to anybody';
  if (isStranger(context) && row.answer && !showsAll && !showsFinal)
    return [work('finds the call of somebody else', respond(context, 'used'))];
  if (row.answer)
    return [work('finds the answer', respond(context, row.state === 'refunded' ? 'refunded' : row.answer))];
  if (row.state === 'refunded') return [work('finds a refund', respond(context, 'refunded'))];
  if (row.state === 'needs_attention')
    return [work('finds a call that needs attention', respond(context, 'attention'))];
  if (row.state === 'refused')
    return row.refusal_final_at
      ? [work('finds a final refusal', respond(context, 'not charged'))]
      : [work('finds a refusal', to(context, 'check the refusal', { known: 'proven' }))];
  if (!isFree(context, row.worked_by))
    return [work('waits in vain for another process', respond(context, 'unknown'))];
  const taken = { ...state, row: { ...row, worked_by: context.name } };
  return [work('takes the call over', advance(context, taken))];
}

/** lib/calls/admission.ts, `admit`, with lib/payments/evm/payment-simulator.ts */
function verify(context: Context): Step<State>[] {
  const { chain } = context.state;
  const { known } = context.process;
  const isValid = chain.payment === 'unused' && chain.time === 0 && chain.isFunded;
  if (isValid) return [work('verifies the payment', to(context, 'claim', { known }))];
  const reason = chain.time === 0 && chain.payment !== 'unused' ? 'used' : 'invalid';
  return [work('finds the payment not valid', to(context, 'look for a winner', { known: reason }))];
}

/** lib/calls/admission.ts, `reject`: an identical request that was faster may explain why the payment is not valid. */
function lookForWinner(context: Context): Step<State>[] {
  const { state, process } = context;
  if (state.row && !canRestart(state.row)) return lookUp(context);
  return process.known === 'used'
    ? [work('finds no faster request', to(context, 'look for an earlier use'))]
    : [work('rejects the payment', respond(context, 'not charged'))];
}

/** lib/calls/admission.ts, `refuseIfUsedBefore` */
function lookForUse(context: Context): Step<State>[] {
  const isUsed = context.state.chain.payment === 'ours' || context.state.chain.payment === 'other';
  return [work('looks for an earlier use', respond(context, isUsed ? 'used' : 'not charged'))];
}

/** lib/ledger/claim.ts */
function claim(context: Context): Step<State>[] {
  const { state, name, process, variant } = context;
  if (process.known === 'again') {
    const given = { worked_by: name, input: 'kept' } as const;
    const restarted = move(state, ['restarted'], given);
    return restarted
      ? [work('restarts the call', to(context, 'prepare', {}, { ...restarted, isDenied: false }))]
      : [work('cannot restart the call', to(context, 'look up', { known: 'owner' }))];
  }
  if (state.row && variant.mistake !== 'claims without a unique key')
    return [work('finds the payment claimed', to(context, 'look up', { known: 'owner' }))];
  const row: Row = {
    state: variant.prepares ? 'claimed' : 'settling',
    worked_by: name,
    refusal_reason: null,
    refusal_final_at: null,
    settlement_id: null,
    transaction_hash: null,
    input: 'kept',
    prepared: null,
    answer: null,
  };
  const claimed = { ...state, row, calls: state.calls + 1, isDenied: false };
  return [work('claims the call', to(context, variant.prepares ? 'prepare' : 'submit', {}, claimed))];
}

/** lib/calls/preparation.ts, `prepare` */
function prepare(context: Context): Step<State>[] {
  const { state, variant } = context;
  const prepared = move(state, ['prepared'], { prepared: variant.prepares ? 'kept' : null });
  const steps = [
    prepared
      ? work('prepares the call', to(context, 'submit', {}, prepared))
      : work('finds that the call has moved', respond(context, resultOfMoved(state))),
  ];
  if (!variant.prepares) return steps;
  const failed = move(state, ['unprepared', 'unpreparedAgain'], { refusal_reason: 'preparation' });
  if (failed) steps.push(work('cannot prepare the call', respond(context, 'not charged', failed)));
  return steps;
}

/** lib/calls/preparation.ts, `movedByAnother` */
const resultOfMoved = ({ row }: State): Result =>
  row?.state === 'refused' && row.refusal_final_at ? 'not charged' : 'unknown';

/**
 * Erased input can neither be prepared nor delivered. A process reads it when it takes the call. A call that is paid by nothing but a
 * lie may be one whose refusal is final.
 */
function withInput(state: State): State {
  const { row, chain } = state;
  if (row?.input !== null || row.answer !== null) return state;
  if (row.state === 'settled' && row.settlement_id !== null && row.settlement_id !== chain.payment)
    return state;
  return { ...state, broken: 'the input of a call is kept until it ends' };
}

/** lib/payments/evm/evm-sender.ts, `charge`; lib/payments/account/account-settler.ts */
function submit(context: Context): Step<State>[] {
  if (context.variant.paysFrom === 'account') return debit(context);
  const { state, name, process, variant } = context;
  if (process.follows) return [work('joins its own charge', to(context, 'wait'))];
  if (!state.chain.isFunded) {
    // `findOverdrawn`, and `isUnderWay` in refuse-unsent.ts
    const isUnderWay = state.row?.settlement_id === 'ours' && isOpenTransaction(state);
    return isUnderWay && variant.mistake !== 'refuses while a transaction is open'
      ? [work('cannot refuse a payment under way', to(context, 'record', { known: 'unknown' }))]
      : [work('finds that the payer has no money', to(context, 'refuse unsent', { known: lookAt(state) }))];
  }
  const mayHaveKey =
    state.key === name ||
    isFree(context, state.key) ||
    variant.mistake === 'sends while another process has the key';
  if (!mayHaveKey) return [work('queues the charge', to(context, 'wait'))];
  if (isOpenTransaction(state) && variant.mistake !== 'sends while another process has the key')
    return [
      work('adopts the open transaction', to(context, 'wait', { follows: true }, { ...state, key: name })),
    ];
  // A second transaction would fail in its block, which costs its fee. The model has only one.
  if (state.chain.payment === 'ours')
    return [work('would pay twice in vain', to(context, 'record', { known: 'unknown' }))];
  const sent = sign(context);
  return [
    sent
      ? work('records the signed transaction', to(context, 'wait', { follows: true }, sent))
      : work('may not send a refused charge', to(context, 'record', { known: 'unknown' })),
  ];
}

/** lib/ledger/settlement-journal.ts, `insertPrepared`: null when the call is refused */
function sign({ state, name }: Context): State | null {
  const { row, chain } = state;
  if (!row || (row.state === 'refused' && !(row.settlement_id === 'ours' && isOpenTransaction(state))))
    return null;
  const isCarried = submittedStates.includes(row.state);
  return {
    ...state,
    row: isCarried ? { ...row, settlement_id: 'ours', transaction_hash: 'ours' } : row,
    ours: { state: 'prepared', raw: 'kept', final_at: null, isGone: false, isInVain: false },
    chain: { ...chain, ours: 'nowhere', isFailureFinal: false },
    key: name,
    broken: isOpenTransaction(state) ? 'one transaction at a time makes the payment' : state.broken,
  };
}

/** lib/ledger/account-book.ts, `debit` */
function debit(context: Context): Step<State>[] {
  const { state, variant } = context;
  const { row, chain } = state;
  const ignoresState =
    variant.mistake === 'debits without looking at the state' && row?.state === 'delivered';
  if (ignoresState)
    return [work('debits again', to(context, 'wait', {}, { ...state, debits: state.debits + 1 }))];
  const decided = chain.isFunded
    ? move({ ...state, debits: state.debits + 1 }, ['settled'])
    : move(state, ['refusedForGood'], { refusal_reason: 'payment' });
  const label = chain.isFunded ? 'debits the account' : 'finds the balance too low';
  const now = decided ?? state;
  if (now.row && paidStates.includes(now.row.state)) return [work(label, to(context, 'deliver', {}, now))];
  return [work(label, respond(context, now.row?.state === 'refused' ? 'not charged' : 'unknown', now))];
}

/** lib/payments/evm/refuse-unsent.ts and lib/ledger/call-moves.ts, `refuseUnlessSent` */
function refuseUnsent(context: Context): Step<State>[] {
  const { process } = context;
  if (process.known !== 'unused')
    return [work('has learned the outcome', to(context, 'record', { known: process.known }))];
  const refused = refuseUnlessSent(context);
  return [
    refused
      ? work('refuses the call', respond(context, 'not charged', refused))
      : work('cannot refuse the call', to(context, 'record', { known: 'unknown' })),
  ];
}

function refuseUnlessSent({ state, variant }: Context): State | null {
  const isCarried = state.row?.settlement_id !== null && isOpenTransaction(state);
  if (isCarried && variant.mistake !== 'refuses while a transaction is open') return null;
  return move(state, ['refused'], { refusal_reason: 'payment' });
}

/** Waits for the block of its own charge, or for the process that has the key (lib/payments/evm/queued-charges.ts). */
function waitForOutcome(context: Context): Step<State>[] {
  const { state, process, variant } = context;
  const { row } = state;
  const steps = [work('waits in vain for the outcome', to(context, 'record', { known: 'unknown' }))];
  if (variant.mistake === 'answers before the payment is settled')
    steps.push(work('answers early', respond(context, 'delivered')));
  if (process.follows || process.failed !== '' || !row || row.state === 'settling') return steps;
  if (paidStates.includes(row.state))
    return [...steps, work('learns that it is paid', to(context, 'deliver'))];
  if (row.state !== 'refused') return steps;
  // Its own transaction may have made the payment of a call that was refused in the meantime.
  return state.chain.payment === 'ours'
    ? [...steps, work('learns that it is paid', to(context, 'deliver'))]
    : [...steps, work('learns that it is refused', respond(context, 'not charged'))];
}

/** lib/payments/evm/resolve-outcome.ts, with nodes that all tell the truth */
function lookAt({ chain }: State): string {
  const { payment, isFinal, time } = chain;
  if (payment === 'ours' || payment === 'other') return `settled by ${payment}`;
  if (payment === 'canceled') return isFinal ? 'refused' : 'refused for now';
  return time === 3 ? 'refused' : 'unused';
}

/** lib/calls/charge.ts, `settleAgain`, up to the verification */
function lookAtChain(context: Context): Step<State>[] {
  const { state, process, variant } = context;
  if (variant.paysFrom === 'account') return debit(context);
  const { chain } = state;
  const found = lookAt(state);
  const isUsable = chain.time === 0 && chain.isFunded;
  const steps = [work(`finds the payment ${found}`, afterLook(context, found, isUsable))];
  return state.limits.lies === 0 ? steps : [...steps, ...lies(context, process.known)];
}

function afterLook(context: Context, found: string, isUsable: boolean, changed = context.state): State {
  const { variant, process } = context;
  const isExpiredHere = variant.mistake === 'trusts its own clock about expiry' && changed.chain.time > 0;
  if (
    found === 'unused' &&
    (isExpiredHere || variant.mistake === 'takes an unused payment for a refused one')
  )
    return to(context, 'record', { known: 'refused' }, changed);
  if (found !== 'unused') return to(context, 'record', { known: found }, changed);
  return isUsable
    ? to(context, 'submit again', { known: process.known }, changed)
    : to(context, 'record', { known: 'unknown' }, changed);
}

/** What nodes can make a process believe, if all that respond tell the same lie. */
function lies(context: Context, known: string): Step<State>[] {
  const { state } = context;
  const { payment, time, ours } = state.chain;
  const lied = { ...state, limits: less(state.limits, 'lies') };
  const isMade = payment === 'ours' || payment === 'other';
  const told = (label: string, next: State): Step<State> => ({ label, kind: 'fault', next });
  if (isMade)
    return time > 0
      ? []
      : [told('is told that the payment is unused', afterLook(context, 'unused', true, lied))];
  const steps = [
    told(
      'is told of a transfer that does not exist',
      to(context, known === '' ? 'record the check' : 'record', { known: 'settled by nobody' }, lied),
    ),
  ];
  if (state.ours !== null && ours !== 'block')
    steps.push(
      told(
        'is told that our transaction made the payment',
        to(context, 'record', { known: 'settled by a lie' }, lied),
      ),
    );
  return steps;
}

/** lib/calls/charge.ts, `isFollowed` and `recordResubmission` */
function submitAgain(context: Context): Step<State>[] {
  const { state, name, process } = context;
  const { row, key } = state;
  const isFollowed =
    !process.follows &&
    row?.settlement_id === 'ours' &&
    isOpenTransaction(state) &&
    key !== null &&
    key !== name &&
    !isFree(context, key);
  if (isFollowed)
    return [work('finds it followed by another process', to(context, 'record', { known: 'unknown' }))];
  if (process.known !== 'unknown') return [work('may submit again', to(context, 'submit'))];
  const resubmitted = move(state, ['resubmitted']);
  return [
    resubmitted
      ? work('begins to submit again', to(context, 'submit', {}, resubmitted))
      : work('finds that the call has moved', to(context, 'record', { known: 'unknown' })),
  ];
}

/**
 * lib/ledger/call-moves.ts, `recordOutcome` of a settled payment. It does nothing when the transaction is recorded in another block. A
 * lie about the same block is believed (`Weakness`).
 */
function settledBy({ state, variant }: Pick<Context, 'state' | 'variant'>, known: string): State {
  const isOurs = known === 'settled by ours' || known === 'settled by a lie';
  const by = isOurs ? 'ours' : 'other';
  const isTrusted = variant.weaknesses?.includes(
    'nodes that all lie about a transaction are believed after its failure was recorded',
  );
  if (isOurs && state.ours?.isInVain && !isTrusted) return state;
  const moved = move(state, ['settled', 'settledAfterRefusal']);
  if (!moved?.row) return state;
  const row: Row = { ...moved.row, settlement_id: by, transaction_hash: by };
  const isGone = known === 'settled by nobody' || known === 'settled by a lie';
  if (by === 'other') {
    const found = moveTransaction(moved, 'other', ['foundAgain'], { isGone }) ?? moved;
    const other =
      found.other ?? ({ state: 'confirmed', raw: null, final_at: null, isGone, isInVain: false } as const);
    return { ...found, row, other };
  }
  return { ...(moveTransaction(moved, 'ours', ['returned']) ?? moved), row };
}

/** lib/calls/charge.ts, the end of `charge` */
function recordOutcome(context: Context): Step<State>[] {
  const { state, process, name, variant } = context;
  const { known } = process;
  if (known.startsWith('settled'))
    return [work('records the payment', to(context, 'deliver', {}, settledBy(context, known)))];
  if (known.startsWith('refused')) {
    const refused = move(state, ['refused'], { refusal_reason: 'payment' }) ?? state;
    return [work('records the refusal', respond(context, 'not charged', refused))];
  }
  const unknown = released(move(state, ['outcomeUnknown']) ?? state, name);
  const result =
    variant.mistake === 'says that nothing is charged when it does not know' ? 'not charged' : 'unknown';
  return [work('records that the outcome is unknown', respond(context, result, unknown))];
}

/** lib/ledger/unfinished-calls.ts, `postpone` */
const released = (state: State, name: ProcessName): State =>
  state.row?.worked_by === name ? { ...state, row: { ...state.row, worked_by: null } } : state;

/** lib/calls/deliver.ts, `deliver` */
function deliver(context: Context): Step<State>[] {
  const { state, name, process } = context;
  if (process.answer)
    return [work('has the answer already', to(context, 'store', { known: process.answer }))];
  const made = (answer: Answer) => to(context, 'store', { known: answer });
  const isOurs = state.row?.state === 'settled';
  const later = respond(context, 'pending', released(state, name));
  const attention = move(state, ['needsAttention']) ?? state;
  const delivered = work('delivers', made('delivered'));
  if (!context.variant.fails) return [delivered];
  return [
    delivered,
    work('is told by the provider that it fails', made('kept')),
    ...(isOurs ? [{ label: 'cannot deliver yet', kind: 'fault' as const, next: later }] : []),
    { label: 'can never deliver', kind: 'fault', next: respond(context, 'attention', attention) },
  ];
}

/** lib/calls/deliver.ts, `conclude` and `endedByAnother` */
function store(context: Context): Step<State>[] {
  const { state, name, process } = context;
  const answer: Answer = process.known === 'kept' ? 'kept' : 'delivered';
  const stored = move(state, [answer], { answer });
  if (stored) return [work('stores the answer', respond(context, answer, stored))];
  const { row } = state;
  if (context.variant.mistake === 'answers again with what it made itself')
    return [work('answers', respond(context, answer))];
  if (!row?.answer)
    return [work('finds that the call has moved', respond(context, 'pending', released(state, name)))];
  const result = row.state === 'refunded' ? 'refunded' : row.answer;
  return [work('finds the answer of another process', respond(context, result))];
}

/** lib/calls/refusal.ts, `checkRefusal`: what the chain says */
function checkRefusal(context: Context): Step<State>[] {
  const { state, process } = context;
  const found = lookAt(state);
  return [
    work(
      `finds the refused payment ${found}`,
      to(context, 'record the check', { known: `${process.known}: ${found}` }),
    ),
  ];
}

/** lib/calls/refusal.ts, `checkRefusal`, and its callers `checkRefusalAgain`, `answerUnproven` and `closeRefusals` */
function recordCheck(context: Context): Step<State>[] {
  const { state, process } = context;
  const [asks = '', found = ''] = process.known.split(': ');
  if (found.startsWith('settled')) {
    const settled = settledBy(context, found);
    const next =
      asks === 'proven' ? to(context, 'take the paid call', {}, settled) : respond(context, 'used', settled);
    return [work('records that the refused payment is made', next)];
  }
  if (found === 'refused') {
    const { row } = state;
    const isOpen = row?.state === 'refused' && row.refusal_final_at === null;
    // lib/ledger/finality-record.ts, `recordRefusalFinal`
    const closed: State = isOpen
      ? { ...state, row: { ...row, refusal_final_at: 'set', input: null, prepared: null } }
      : state;
    return [
      work(
        'records that the refusal is final',
        respond(context, stillRefused({ ...context, state: closed }), closed),
      ),
    ];
  }
  if (found === 'unused' && asks === 'proven') return [work('may reopen the call', to(context, 'reopen'))];
  return [work('leaves the refusal open', respond(context, stillRefused(context)))];
}

/** lib/calls/advance-call.ts, `checkRefusalAgain` of a paid call */
function takePaid(context: Context): Step<State>[] {
  const { state, name } = context;
  const { row } = state;
  if (row?.state !== 'settled' || !isFree(context, row.worked_by))
    return [work('leaves the delivery to another process', respond(context, 'pending'))];
  const taken = { ...state, row: { ...row, worked_by: name } };
  return [work('takes the paid call over', to(context, 'deliver', { answer: row.answer }, withInput(taken)))];
}

/** lib/calls/refusal.ts, `reopen`, up to the verification */
function reopen(context: Context): Step<State>[] {
  const { payment, time, isFunded } = context.state.chain;
  if (time > 0 || (payment === 'unused' && !isFunded))
    return [work('cannot charge the refused payment', respond(context, stillRefused(context)))];
  if (payment !== 'unused') return [work('finds the refused payment used', respond(context, 'unknown'))];
  return [work('verifies the refused payment', to(context, 'record the reopening'))];
}

/** Another process may have reopened the call since this one has read it. */
function stillRefused({ state, variant }: Context): Result {
  const isAsRead = variant.mistake === 'answers a refusal that another process has reopened';
  return isAsRead || state.row?.state === 'refused' ? 'not charged' : 'unknown';
}

/** lib/ledger/call-moves.ts, `recordReopened` */
function recordReopening(context: Context): Step<State>[] {
  const { state, name } = context;
  const reopened = move(state, ['reopened'], { worked_by: name });
  if (!reopened) return [work('finds that the call has moved', respond(context, 'unknown'))];
  return [
    work(
      'reopens the call',
      to(context, 'prepare', { answer: null }, { ...withInput(reopened), isDenied: false }),
    ),
  ];
}

/** lib/payments/evm/pending-transactions.ts and failed-charges.ts: what goes on beside requests. */
function background(context: Context): Step<State>[] {
  const { process } = context;
  if (process.failed !== '') return [handleFailure(context)];
  return process.follows ? followTransaction(context) : [];
}

/** The process after its work beside requests. */
function beside({ state, name }: Context, more: Partial<Process>, changed = state): State {
  return { ...changed, processes: { ...changed.processes, [name]: { ...changed.processes[name], ...more } } };
}

/** The key is free once nothing is open. */
const withoutKey = (state: State, name: ProcessName): State =>
  state.key === name ? { ...state, key: null } : state;

function followTransaction(context: Context): Step<State>[] {
  const { state, name } = context;
  const { chain, row } = state;
  switch (chain.ours) {
    case 'nowhere':
      return [
        work('broadcasts the transaction', {
          ...state,
          chain: { ...chain, ours: 'mempool', isPublic: true },
        }),
      ];
    case 'block': {
      // lib/ledger/mined-transactions.ts, `updateMined`
      const mined = moveTransaction(state, 'ours', ['mined'], { isGone: false, isInVain: false }) ?? state;
      const settled = move(mined, ['settled', 'settledAfterRefusal']);
      const paid = settled?.row
        ? {
            ...settled,
            row: { ...settled.row, settlement_id: 'ours' as const, transaction_hash: 'ours' as const },
          }
        : mined;
      return [work('records the block', beside(context, { follows: false }, withoutKey(paid, name)))];
    }
    case 'failed': {
      // `updateMinedWithFailures`
      const mined = moveTransaction(state, 'ours', ['mined'], { isGone: false, isInVain: true });
      const isOfOurs = mined !== null && row?.settlement_id === 'ours';
      const undone = (isOfOurs ? move(mined, ['undone']) : null) ?? mined ?? state;
      return [
        work(
          'records the failure',
          beside(context, { follows: false, failed: 'look' }, withoutKey(undone, name)),
        ),
      ];
    }
    case 'replaced': {
      // lib/ledger/settlement-transactions.ts, `dropTransactions`
      const dropped = moveTransaction(state, 'ours', ['dropped']);
      const isOfOurs = dropped !== null && row?.settlement_id === 'ours';
      const undone = (isOfOurs ? move(dropped, ['undone']) : null) ?? dropped ?? state;
      return [
        work('gives the transaction up', beside(context, { follows: false }, withoutKey(undone, name))),
      ];
    }
    default:
      return [];
  }
}

/** lib/payments/evm/failed-charges.ts, `#resolveOne` */
function handleFailure(context: Context): Step<State> {
  const { state, name, process } = context;
  const { chain } = state;
  if (process.failed === 'look') {
    const found = lookAt(state);
    const isValid = chain.time === 0 && chain.isFunded;
    const next = found === 'unused' ? (isValid ? 'again' : 'refuse') : found;
    return work('looks at the failed payment', beside(context, { failed: next }));
  }
  if (process.failed === 'again') {
    const mayHaveKey = state.key === name || isFree(context, state.key);
    const isPossible = mayHaveKey && !isOpenTransaction(state) && chain.payment !== 'ours';
    const sent = isPossible ? sign(context) : null;
    return work(
      'sends the failed payment again',
      beside(context, { failed: '', follows: sent !== null }, sent ?? state),
    );
  }
  if (process.failed === 'refuse') {
    const refused = refuseUnlessSent(context) ?? state;
    return work('refuses the failed payment', beside(context, { failed: '' }, refused));
  }
  const recorded = process.failed.startsWith('settled')
    ? settledBy(context, process.failed)
    : (move(state, ['refused'], { refusal_reason: 'payment' }) ?? state);
  return work('records the outcome of the failed payment', beside(context, { failed: '' }, recorded));
}

/** lib/payments/evm/evm-sender.ts, `maintain` */
function adopt(context: Context): Step<State>[] {
  const { state, name, process } = context;
  const isPossible = isOpenTransaction(state) && !process.follows && process.failed === '';
  if (!isPossible || !(state.key === name || isFree(context, state.key))) return [];
  return [work('follows the open transaction', beside(context, { follows: true }, { ...state, key: name }))];
}

/** lib/jobs/finality-checks.ts, `checkFinality` */
function checkFinality(context: Context): Step<State>[] {
  return [...checkOurs(context), ...checkOther(context)];
}

function checkOurs({ state, variant }: Context): Step<State>[] {
  const { ours, chain, row, limits } = state;
  if (ours?.state !== 'confirmed' || ours.final_at) return [];
  const isThere = !ours.isGone && (chain.ours === 'block' || chain.ours === 'failed');
  const isFinal = chain.ours === 'block' ? chain.isFinal : chain.isFailureFinal;
  const ended: State = { ...state, ours: { ...ours, final_at: 'set', raw: null } };
  if (isThere && isFinal) return [work('records that the block is final', ended)];
  if (isThere && limits.lies === 0) return [];
  if (!isThere && variant.mistake === 'ignores removed blocks') return [];
  const removed = moveTransaction(state, 'ours', ['reorganized'], { isGone: false });
  if (!removed) return [];
  const undone = (row?.settlement_id === 'ours' ? move(removed, ['undone']) : null) ?? removed;
  if (!isThere) return [work('records that the block is gone', undone)];
  return [
    {
      label: 'is told that the block is gone',
      kind: 'fault',
      next: { ...undone, limits: less(limits, 'lies') },
    },
  ];
}

function checkOther({ state, variant }: Context): Step<State>[] {
  const { other, chain, row } = state;
  if (other?.state !== 'confirmed' || other.final_at) return [];
  const isThere = !other.isGone && chain.payment === 'other';
  if (isThere)
    return chain.isFinal
      ? [work('records that its block is final', { ...state, other: { ...other, final_at: 'set' } })]
      : [];
  if (variant.mistake === 'ignores removed blocks') return [];
  const vanished = moveTransaction(state, 'other', ['vanished'], { isGone: false });
  if (!vanished) return [];
  const undone = (row?.settlement_id === 'other' ? move(vanished, ['undone']) : null) ?? vanished;
  return [work('records that its block is gone', undone)];
}
