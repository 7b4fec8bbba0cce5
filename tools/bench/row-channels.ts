import { setTimeout as sleep } from 'node:timers/promises';
import { BATCH_SETTLEMENT_ADDRESS } from '@x402/evm';
import { createPublicClient, type Hex, http } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { batchSettlementAbi } from '@/lib/payments/channels/batch-settlement-abi';
import { baselinePaths } from './baseline-app';
import { type Bench, type PaidServer, startOfficial, startOurs } from './bench';
import { type BenchChain, startBenchChain } from './bench-chain';
import { newBuyers, priceAtomic, signCalls } from './buyers';
import { type ChannelBuyer, newChannelBuyer } from './channel-buyers';
import { cpuMs } from './cpu-time';
import type { LoadRequest } from './load-protocol';
import { inTurns, median, sum } from './rounds';
import type { Row } from './table';

const buyerCount = 32;
/** What each of our channels has paid for when it is claimed: 0.50 USDC, the amount at which the server claims on its own. */
const callsPerChannel = 100;
const warmUpCalls = 10;
/** The server makes due claims every 30 seconds. */
const claimedWithinMs = 120_000;

interface Round {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly cpuMs: number | null;
  readonly calls: number;
  readonly gas: number;
}

type Contestant = 'voucher' | 'exact' | 'official';
type Rounds = Record<Contestant, Round[]>;

/**
 * Calls paid with vouchers of payment channels, compared with the same calls paid with `exact` on the same server, and with
 * the official server. Blocks of two seconds. Deposits are made before the first round.
 */
export async function measureChannels(bench: Bench): Promise<Row[]> {
  const chain = bench.onEnd(await startBenchChain('2 s'));
  const settings = { BATCH_SETTLEMENT: 'base', BATCH_AUTHORIZER_KEY: generatePrivateKey() };
  const ours = await startOurs(bench, chain, { settings });
  const path = baselinePaths.officialChannel;
  const official = await startOfficial(bench, chain, { hasQueue: true, pollingMs: 100, path });

  const buyers = await newBuyers(chain, buyerCount + 1);
  const open = (server: PaidServer) => Promise.all(buyers.map((buyer) => newChannelBuyer(server.url, buyer)));
  const channels = { ours: await open(ours), official: await open(official) };
  const deposits = await pay(bench, chain, ours, await signNext(channels.ours, 1));
  await pay(bench, chain, official, await signNext(channels.official, 1));

  const contestants = (from: number, to: number, calls: Record<Contestant, number>) => {
    const ofOurs = channels.ours.slice(from, to);
    const ofOfficial = channels.official.slice(from, to);
    const payers = buyers.slice(from, to);
    return {
      voucher: async () => pay(bench, chain, ours, await signNext(ofOurs, calls.voucher)),
      exact: async () => pay(bench, chain, ours, await signCalls(ours.url, payers, calls.exact)),
      official: async () => pay(bench, chain, official, await signNext(ofOfficial, calls.official)),
    };
  };
  const { rounds, isQuick } = bench.options;
  const left = callsPerChannel - warmUpCalls;
  const alone = contestants(buyerCount, buyerCount + 1, {
    voucher: Math.floor((left - 1) / rounds),
    exact: isQuick ? 3 : 5,
    official: 20,
  });
  const together = contestants(0, buyerCount, {
    voucher: Math.ceil(left / rounds),
    exact: 2,
    official: isQuick ? 5 : 12,
  });
  const warmUp = { voucher: warmUpCalls - 1, exact: 1, official: warmUpCalls - 1 };
  await inTurns(1, contestants(0, buyerCount + 1, warmUp));

  const aloneRounds = await inTurns(rounds, alone);
  const height = await chain.height();
  const togetherRounds = await inTurns(rounds, together);
  await untilClaimed(chain, ours, BigInt(buyerCount * callsPerChannel) * priceAtomic);
  const exactGas = togetherRounds.exact.map(({ gas, calls }) => gas * calls);
  const claimGas = (await chain.gasUsed(ours.seller, height)) - sum(exactGas);
  return [
    ...timeRows(aloneRounds),
    ...rateRows(togetherRounds),
    gasRow({
      deposit: deposits.gas,
      claim: claimGas / buyerCount,
      exact: median(togetherRounds.exact.map(({ gas }) => gas)),
    }),
  ];
}

async function signNext(channels: readonly ChannelBuyer[], calls: number): Promise<LoadRequest[][]> {
  return Promise.all(channels.map((channel) => channel.sign(calls)));
}

/** Throws unless every call is answered with 200. @returns figures per call */
async function pay(
  bench: Bench,
  chain: BenchChain,
  server: PaidServer,
  lanes: readonly (readonly LoadRequest[])[],
): Promise<Round> {
  const height = await chain.height();
  const before = cpuMs(server.pid);
  const { calls, statuses, elapsedMs } = await bench.load.run({ kind: 'lanes', lanes });
  const after = cpuMs(server.pid);
  if (statuses[200] !== calls.length)
    throw new Error(`${server.url} answered ${JSON.stringify(statuses)} to ${calls.length} payments`);
  await chain.settleDown(server.seller);
  return {
    perSecond: (calls.length * 1_000) / elapsedMs,
    p50Ms: median(calls.map(({ ms }) => ms)),
    cpuMs: before === null || after === null ? null : (after - before) / calls.length,
    calls: calls.length,
    gas: (await chain.gasUsed(server.seller, height)) / calls.length,
  };
}

async function untilClaimed(chain: BenchChain, { seller }: PaidServer, totalAtomic: bigint): Promise<void> {
  const client = createPublicClient({ transport: http(chain.rpcUrl) });
  const read = {
    address: BATCH_SETTLEMENT_ADDRESS,
    abi: batchSettlementAbi,
    functionName: 'receivers',
  } as const;
  for (const deadline = Date.now() + claimedWithinMs; ; ) {
    const [claimed] = await client.readContract({ ...read, args: [seller.payTo, chain.usdc as Hex] });
    if (claimed >= totalAtomic) return;
    if (Date.now() > deadline) throw new Error(`${claimed} of ${totalAtomic} were claimed`);
    await sleep(1_000);
  }
}

interface Aim {
  readonly text: string;
  isReached(mine: number, theirs: number): boolean;
}

/** Vouchers compared with both others, which have different aims. */
function against(
  name: string,
  rounds: Rounds,
  field: 'perSecond' | 'p50Ms' | 'cpuMs',
  aims: Partial<Record<Contestant, Aim>>,
): Row[] {
  const of = (contestant: Contestant) => {
    const values = rounds[contestant].map((round) => round[field]);
    return values.includes(null) ? null : median(values as number[]);
  };
  const mine = of('voucher');
  const labels = { exact: 'by exact, same server', official: 'by voucher, official server' } as const;
  return (['exact', 'official'] as const).map((baseline) => {
    const theirs = of(baseline);
    const aim = aims[baseline];
    const isKnown = mine !== null && theirs !== null;
    return {
      name,
      ours: isKnown ? mine.toFixed(2) : 'Linux only',
      baseline: isKnown ? `${theirs.toFixed(2)} ${labels[baseline]}` : '',
      ratio: isKnown ? mine / theirs : null,
      aim: aim?.text ?? '',
      isMet: aim && isKnown ? aim.isReached(mine, theirs) : null,
    };
  });
}

function timeRows(rounds: Rounds): Row[] {
  const exact = { text: '<= 10 ms', isReached: (mine: number) => mine <= 10 };
  return against('call by voucher, one buyer, p50 ms', rounds, 'p50Ms', { exact });
}

function rateRows(rounds: Rounds): Row[] {
  const name = `by voucher, ${buyerCount} buyers`;
  const official = { text: '>= 10x', isReached: (mine: number, theirs: number) => mine >= 10 * theirs };
  return [
    ...against(`calls/s ${name}`, rounds, 'perSecond', { official }),
    ...against(`  CPU ms per call ${name}`, rounds, 'cpuMs', {}),
  ];
}

/** @param gas of one deposit, of claiming one channel including its share of the sweep, and of one payment with `exact` */
function gasRow(gas: Record<'deposit' | 'claim' | 'exact', number>): Row {
  const perCall = (gas.deposit + gas.claim) / callsPerChannel;
  return {
    name: `gas per call by voucher, ${callsPerChannel} calls a channel, ${buyerCount} channels a claim`,
    ours: `${perCall.toFixed(0)} (deposit ${gas.deposit.toFixed(0)}, claim and sweep ${gas.claim.toFixed(0)})`,
    baseline: `${gas.exact.toFixed(0)} by exact, same server`,
    ratio: perCall / gas.exact,
    aim: '<= 0.04x',
    isMet: perCall <= 0.04 * gas.exact,
  };
}
