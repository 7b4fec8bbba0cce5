import type { CallService } from '@/lib/calls/call-service';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { Payment } from '@/lib/payments/payment';
import type { Clock } from '@/lib/platform/clock';
import { productionTimings } from '@/lib/platform/timings';
import { providerUnreachable } from '@/lib/platform/upstream/failure';
import { memoryCalls } from '@/packages/paywall/memory/memory-calls';
import { MemoryDatabase } from '@/packages/paywall/memory/memory-database';
import { MemoryProcess } from '../stores/memory-process';
import { VirtualTime } from '../virtual-clock';
import { PaymentChain } from './payment-chain';
import { type SentRequest, SimulatedServer } from './simulated-server';
import { wordCounter } from './word-count';

export const timings = productionTimings;
export const minuteMs = 60_000;

/**
 * A service with one operation, one database in memory and one chain, for as many servers as a test starts. It notes what happens
 * to calls, in order.
 * @param isReachable whether a connection to the third party can be made
 * @param prepare what is prepared before the charge; nothing if left out
 */
export function openService({
  callsThirdParty = false,
  isReachable = (): boolean => true,
  prepare,
}: {
  callsThirdParty?: boolean;
  isReachable?: () => boolean;
  prepare?: (clock: Clock) => Promise<unknown>;
} = {}) {
  const time = new VirtualTime();
  const database = new MemoryDatabase(time.createClock());
  const events: string[] = [];
  const note = (event: string) => void events.push(event);
  const chain = new PaymentChain(note);
  const counter = wordCounter();
  const start = async (id: string) => {
    const clock = time.createClock();
    const process = new MemoryProcess(database, clock, {
      id,
      settles: ['base'],
      timings,
      latencyMs: () => 5,
    });
    await time.finish(process.beat(), minuteMs);
    const calls = memoryCalls(process);
    const settler = chain.settler(clock, calls);
    const payments = {
      settlerOf: () => settler,
      openSettlerOf: () => settler,
      watch: { isWithdrawnAfter: async () => false },
    };
    const counting = counter.service(clock);
    const service: CallService = {
      ...counting,
      callsThirdParty,
      ...(prepare ? { isPrepared: true, prepare: () => prepare(clock) } : {}),
      deliver: async (input, context) => {
        const { paidCallId } = context;
        if (!isReachable())
          throw new ApiError('delivery_pending', { paidCallId, reason: providerUnreachable });
        note('delivered');
        return counting.deliver(input, context);
      },
    };
    const server = new SimulatedServer({ calls, payments, services: [service], clock, timings });
    const buy = async (sent: SentRequest) => {
      const bought = await server.buy(sent);
      note(`answered: ${onlyCall().state}`);
      return bought;
    };
    return { process, server, buy };
  };
  const onlyCall = () => {
    const [row] = database.tables.paidCall.all();
    if (!row) throw new Error('there is no call');
    return row;
  };
  return { time, database, chain, counter, events, start, onlyCall };
}

export type OpenService = ReturnType<typeof openService>;
type Server = Awaited<ReturnType<OpenService['start']>>;

/** A request with a payment that is valid for half an hour. */
export function request({ nowMs }: VirtualTime, name = 'one'): SentRequest {
  const payer = `0x${'12'.repeat(20)}` as const;
  const to = `0x${'34'.repeat(20)}` as const;
  const nonce = `0x${Buffer.from(name).toString('hex').padStart(64, '0')}` as const;
  const payment: Payment = {
    network: 'base',
    asset: 'USDC',
    payer,
    authorization: nonce,
    amountAtomic: 5_000n,
    payTo: to,
    validBefore: new Date(nowMs + 30 * minuteMs),
    signed: {
      family: 'evm',
      signer: 'key',
      signature: `0x${'56'.repeat(65)}`,
      authorization: { from: payer, to, value: '5000', validAfter: '0', validBefore: '9', nonce },
    },
  };
  return { payment, input: { text: 'Hello, simulated world' }, idempotencyKey: name };
}

/** The job that finishes abandoned calls runs for some time. */
export async function recoverFor(
  { time }: OpenService,
  { process, server }: Server,
  ms: number,
): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    await time.finish(Promise.all([process.beat(), server.recover()]), minuteMs);
    await time.pass(1_000);
  }
}
