import pLimit from 'p-limit';
import type { z } from 'zod';
import { dryRun } from '@/lib/catalog';
import { type Operation, operationIdOn } from '@/lib/catalog/operation';
import { toAtomic } from '@/lib/payments/money';
import { isEvmOffer } from '@/lib/payments/networks';
import { payments } from '@/lib/runtime/payments';
import type { Service } from '@/lib/service';
import { acceptInput } from './accept-input';
import { ApiError, isApiError } from './api-error';
import { readBytes, readInput, usualBodyBytesMax } from './body';
import { errorBody } from './error-body';
import { freeRoute } from './free-route';
import { atPriceIn } from './priced';
import { requestIdOf } from './respond';

interface Work {
  readonly operation: Operation;
  readonly service: Service;
}

type DryRun = z.output<typeof dryRun.checkRequest>;
type Verdict = z.output<typeof dryRun.check.output>;

/** Looking at a large document takes processor time that nobody pays for: so many at once, and so many in line. */
const atOnce = 2;
const waitingMax = 32;
const inTurn = pLimit(atOnce);

/** What stands around the body of the call in the body of its dry run. */
const wrapperBytes = 16 * 1024;

/**
 * `POST /v1/tools/check`: takes an input through everything that the real call would take it through before its payment is
 * looked at, and then through what the service would say to the payer. Keeps nothing.
 * @param known what is sold, with what does it
 */
export function dryRunRoute(known: readonly Work[]) {
  const bytesMax =
    wrapperBytes + Math.max(...known.map(({ operation }) => operation.bodyBytesMax ?? usualBodyBytesMax));
  return freeRoute(async (request) => {
    if (inTurn.pendingCount >= waitingMax)
      throw new ApiError('service_unavailable', { retryAfterSeconds: 2 });
    return inTurn(async () => {
      const bytes = await readBytes(request, bytesMax);
      const asked = readInput(dryRun.check, bytes, {});
      const work = known.find(({ operation }) => namesOf(operation).includes(asked.operation));
      if (!work) {
        const rule = 'must be an operation of GET /v1/tools/prices, or an operationId of /openapi.json';
        const issues = [{ path: 'operation', rule }];
        throw new ApiError('invalid_input', { reason: 'invalid_input', issues });
      }
      return { body: await judge(work, asked, requestIdOf(request)) };
    });
  });
}

/** What callers may call an operation: its id, and how OpenAPI names each of its paths. */
function namesOf(operation: Operation): string[] {
  const rails = Object.keys(operation.paths) as (keyof typeof operation.paths)[];
  return [operation.id, ...rails.map((rail) => operationIdOn(operation, rail))];
}

async function judge(work: Work, asked: DryRun, requestId: string): Promise<Verdict> {
  const { operation } = work;
  const refusal = await refusalOf(work, asked);
  return {
    operation: operation.id,
    accepted: refusal === null,
    ...(refusal ? { error: errorBody(refusal, requestId).error } : {}),
    ...costOf(atItsPrice(operation, asked)),
  };
}

/** The operation at the price that the body names; at its least where it names none that is taken. */
function atItsPrice(operation: Operation, asked: DryRun): Operation {
  try {
    return atPriceIn(operation, bodyOf(operation, asked));
  } catch (error) {
    if (isApiError(error)) return operation;
    throw error;
  }
}

/** @returns what the call would be refused with; null when it would be taken */
async function refusalOf({ operation, service }: Work, asked: DryRun): Promise<ApiError | null> {
  try {
    const input = await acceptInput(operation, service, bodyOf(operation, asked), asked.params);
    const isAboutSomething = Object.keys(operation.params.shape).length > 0;
    // Only a payer can be told whether something is theirs.
    if (asked.payer !== undefined || !isAboutSomething) {
      await service.admit?.(input, { payer: asked.payer ?? '', now: new Date(), isNewcomer: true });
    }
    return null;
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
}

/** The body as the call would have it. */
function bodyOf({ bodyBytesMax = usualBodyBytesMax }: Operation, { body }: DryRun): Uint8Array {
  const bytes = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
  if (bytes.length > bodyBytesMax) throw new ApiError('body_too_large');
  return bytes;
}

function costOf({ price, paths }: Operation): Pick<Verdict, 'price' | 'paths' | 'networks'> {
  const amountUsdcAtomic = toAtomic(price).toString();
  return {
    price,
    paths,
    networks: payments()
      .desk.offered()
      .map((offer) => ({
        network: offer.network.name,
        caip2: offer.network.caip2,
        asset: offer.asset,
        amountUsdcAtomic,
        rails: ['x402', ...(paths.mpp && isEvmOffer(offer) ? ['mpp'] : [])],
      })),
  };
}
