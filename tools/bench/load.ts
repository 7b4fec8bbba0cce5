// The load generator. It runs in its own process so that its work does not count toward what is measured. It takes jobs
// over IPC and responds to each with its result.
import { readFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Arrivals, Call, Flood, Lanes, LoadRequest, LoadResult } from './load-protocol';
import { percentile } from './rounds';

/** A settlement that never ends must not block the benchmark. */
const answerTimeoutMs = 60_000;

process.on('message', (job: Flood | Lanes | Arrivals) => {
  run(job).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.send?.({ isReady: true });

function run(job: Flood | Lanes | Arrivals): Promise<LoadResult> {
  switch (job.kind) {
    case 'flood':
      return flood(job);
    case 'lanes':
      return sendLanes(job);
    case 'arrivals':
      return sendArrivals(job);
  }
}

async function sendArrivals({ arrivals }: Arrivals): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const startedMs = performance.now();
  const late: number[] = [];
  const sending: Promise<Call>[] = [];
  let hasFailed = false;
  for (const { dueMs, request } of arrivals) {
    const waitMs = startedMs + dueMs - performance.now();
    // The timer is at most a millisecond late; what is already due is sent at once.
    if (waitMs > 0) await sleep(waitMs);
    if (hasFailed) break;
    late.push(Math.max(0, performance.now() - startedMs - dueMs));
    const sent = send(agent, request, request.body).then((status) => {
      hasFailed ||= status !== 200;
      return { status, ms: performance.now() - startedMs - dueMs };
    });
    sending.push(sent);
  }
  const calls = await Promise.all(sending);
  agent.destroy();
  return {
    elapsedMs: performance.now() - startedMs,
    calls,
    statuses: count(calls),
    lateMs: percentile(late, 0.95),
  };
}

async function sendLanes({ lanes }: Lanes): Promise<LoadResult> {
  const files = new Map<string, Buffer>();
  for (const { bodyFile } of lanes.flat()) {
    if (bodyFile && !files.has(bodyFile)) files.set(bodyFile, readFileSync(bodyFile));
  }
  const startedMs = performance.now();
  const calls = await Promise.all(lanes.map((lane) => sendLane(lane, files)));
  return { elapsedMs: performance.now() - startedMs, calls: calls.flat(), statuses: count(calls.flat()) };
}

async function sendLane(lane: readonly LoadRequest[], files: ReadonlyMap<string, Buffer>): Promise<Call[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const calls: Call[] = [];
  for (const one of lane) {
    const startedMs = performance.now();
    const body = one.bodyFile ? files.get(one.bodyFile) : one.body;
    const status = await send(agent, one, body);
    calls.push({ status, ms: performance.now() - startedMs });
  }
  agent.destroy();
  return calls;
}

function send(agent: Agent, one: LoadRequest, body: string | Buffer | undefined): Promise<number> {
  return new Promise((resolve) => {
    const request = httpRequest(one.url, { agent, method: one.method, headers: one.headers });
    request.setTimeout(answerTimeoutMs, () => request.destroy());
    request.on('error', () => resolve(0));
    request.on('response', (response) => {
      response.on('error', () => resolve(0));
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.resume();
    });
    request.end(body);
  });
}

/** Uses sockets, because an HTTP client would use as much CPU as the fastest servers. */
async function flood({ request, connections, durationMs }: Flood): Promise<LoadResult> {
  const url = new URL(request.url);
  const bytes = serialize(request, url);
  const statuses: Record<number, number> = {};
  const startedMs = performance.now();
  const deadline = startedMs + durationMs;
  /** Runs until the time is over or the server closes the connection after a response. */
  const connection = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(url.port), '127.0.0.1');
      socket.setNoDelay(true);
      socket.setTimeout(answerTimeoutMs, () => socket.destroy());
      let received = '';
      let answers = 0;
      socket.on('connect', () => socket.write(bytes));
      socket.on('error', (error) => (answers > 0 ? resolve() : reject(error)));
      socket.on('close', () => resolve());
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1');
        if (!isComplete(received)) return;
        const status = Number(received.slice(9, 12));
        statuses[status] = (statuses[status] ?? 0) + 1;
        answers += 1;
        received = '';
        if (performance.now() < deadline) socket.write(bytes);
        else socket.end();
      });
    });
  const lane = async () => {
    while (performance.now() < deadline) await connection();
  };
  await Promise.all(Array.from({ length: connections }, lane));
  return { elapsedMs: performance.now() - startedMs, calls: [], statuses };
}

function serialize({ method, headers, body = '' }: LoadRequest, url: URL): Buffer {
  const all = { Host: url.host, 'Content-Length': String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${url.pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

/** Only one response is in flight at a time, so it ends where the received bytes end. */
function isComplete(received: string): boolean {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const head = received.slice(0, headEnd).toLowerCase();
  if (head.includes('transfer-encoding: chunked')) return received.endsWith('\r\n0\r\n\r\n');
  const length = /content-length: (\d+)/.exec(head)?.[1];
  return received.length >= headEnd + 4 + Number(length ?? 0);
}

function count(calls: readonly Call[]): Record<number, number> {
  const statuses: Record<number, number> = {};
  for (const { status } of calls) statuses[status] = (statuses[status] ?? 0) + 1;
  return statuses;
}
