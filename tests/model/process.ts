import { openStates } from '@/lib/ledger/states';
import { adopt, background, checkFinality } from './background-steps';
import {
  lookAtChain,
  recordOutcome,
  refuseUnsent,
  submit,
  submitAgain,
  waitForOutcome,
} from './charge-steps';
import type { Step } from './checker';
import { checkRefusal, deliver, recordCheck, recordReopening, reopen, store, takePaid } from './ending-steps';
import { claim, lookForUse, lookForWinner, lookUp, prepare, verify } from './request-steps';
import { move, processNames, type Row, type State } from './state';
import { advance, type Context, isFree, to, type Variant, work } from './step-context';

/**
 * The steps of both processes: what each does for the call. In each step it can be killed: each is one statement, one question to
 * the chain, or one response. The comments name the code that a step stands for.
 */
export function processSteps(state: State, variant: Variant): Step<State>[] {
  return processNames.flatMap((name) => {
    const context = { state, name, process: state.processes[name], variant };
    return [...foreground(context), ...background(context)].map((step) => ({
      ...step,
      label: `${name} ${step.label}`,
    }));
  });
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
