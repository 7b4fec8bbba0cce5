import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fullTierPackages } from '../full-tier-packages';
import { type Answer, type Request, startHttpServer } from './http-server';
import { checkAsAmazonDoes, type S3Keys, s3Error } from './s3-checks';

export const s3Keys: S3Keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
export const s3Bucket = 'files';
export const s3Region = 'us-east-1';

export interface TestS3 {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/**
 * s3rver, a lenient S3 server: it accepts any signature by a key that it knows, ignores declared checksums and conditions, and
 * allows everything to be overwritten. `isChecking` puts the checks in front of it that Amazon documents for signatures and
 * checksums.
 */
export async function startS3({ isChecking }: { isChecking: boolean }): Promise<TestS3> {
  const directory = await mkdtemp(path.join(tmpdir(), 'tuppence-s3-'));
  const { default: S3rver } = await fullTierPackages.s3rver();
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: s3Bucket, configs: [] }],
  });
  const { port } = await server.run();
  let turn: Promise<unknown> = Promise.resolve();
  /** s3rver serves objects that are still being written; S3 never does. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  };
  const front = await startHttpServer(async (request) => {
    const fault = isChecking ? checkAsAmazonDoes(request, s3Keys) : null;
    if (fault) return s3Error(fault);
    return inTurn(async () => {
      const answer = await passOn(request, `http://127.0.0.1:${port}`);
      if (request.method === 'PUT' && answer.status === 200) {
        await untilWritten(
          path.join(directory, `${request.url.pathname}._S3rver_object`),
          request.body.length,
        );
      }
      return answer;
    });
  });
  return {
    endpoint: front.url,
    async stop() {
      await front.stop();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function passOn(request: Request, to: string): Promise<Answer> {
  // fetch sets headers that belong to one connection itself.
  const ofConnection = ['host', 'connection', 'content-length', 'expect', 'transfer-encoding', 'keep-alive'];
  const headers = Object.entries(request.headers).filter(([name]) => !ofConnection.includes(name));
  const answer = await fetch(`${to}${request.target}`, {
    method: request.method,
    headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
    body: request.body.length > 0 ? new Uint8Array(request.body) : undefined,
  });
  const { 'transfer-encoding': _, connection: __, ...kept } = Object.fromEntries(answer.headers);
  return { status: answer.status, headers: kept, body: new Uint8Array(await answer.arrayBuffer()) };
}

/** s3rver responds to a PUT before all bytes are in the file, and then serves an incomplete object. */
async function untilWritten(file: string, sizeBytes: number): Promise<void> {
  while ((await stat(file)).size < sizeBytes) await sleep(5);
}
