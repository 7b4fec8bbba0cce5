import type { z } from 'zod';
import { payments } from '@/lib/app/payments';
import type { dryRun } from '@/lib/catalog';
import type { Operation } from '@/lib/catalog/operation';
import { type ApiError, isApiError } from '@/lib/errors/api-error';
import { errorBody } from '@/lib/errors/error-body';
import { toAtomic } from '@/lib/payments/money';
import { isEvmOffer } from '@/lib/payments/networks';
import type { Service, Warning } from '@/lib/services/service';
import type { Requester } from '@/lib/threads';
import { acceptDryRun } from './accept-input';
import { readBytes, usualBodyBytesMax } from './body';
import { clientAddressOf } from './client-address';
import { freeRoute } from './free-route';
import { errorFrom, type JudgedDryRun } from './judge-input';
import { requestIdOf } from './respond';

interface Work {
  readonly operation: Operation;
  readonly service: Service;
}

type Asked = Extract<JudgedDryRun, { kind: 'asked' }>;
type Verdict = z.output<typeof dryRun.check.output>;

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
  const workFor = (operationId: string) => known.find(({ operation }) => operation.id === operationId);
  return freeRoute(async (request) => {
    const bytes = await readBytes(request, bytesMax);
    const requester: Requester = { address: clientAddressOf(request), payer: null, standing: 'free' };
    const asked = await acceptDryRun(bytes, (id) => workFor(id)?.service, requester);
    if (asked.kind === 'refused') throw errorFrom(asked, {});
    const work = workFor(asked.operation);
    if (!work) throw new Error(`nothing does ${asked.operation}`);
    return { body: await judge(work, asked, requester, requestIdOf(request)) };
  });
}

async function judge(work: Work, asked: Asked, requester: Requester, requestId: string): Promise<Verdict> {
  const { operation } = work;
  const refusal = await refusalOf(work, asked, requester);
  const warnings = warningsOf(work, asked);
  return {
    operation: operation.id,
    accepted: refusal === null,
    ...(refusal ? { error: errorBody(refusal, requestId).error } : {}),
    ...(warnings.length > 0 ? { warnings: warnings.map(({ message }) => message) } : {}),
    // At its least where the body names no price that is taken.
    ...costOf(asked.price === null ? operation : { ...operation, price: asked.price }),
  };
}

/** What the answer of the call would warn of. */
function warningsOf({ service }: Work, { judged }: Asked): readonly Warning[] {
  return judged.kind === 'accepted' ? (service.warnings?.(judged.input) ?? []) : [];
}

/** @returns what the call would be refused with; null when it would be taken */
async function refusalOf(
  { operation, service }: Work,
  { judged, payer }: Asked,
  requester: Requester,
): Promise<ApiError | null> {
  if (judged.kind === 'refused') return errorFrom(judged, operation);
  try {
    const isAboutSomething = Object.keys(operation.params.shape).length > 0;
    // Only a payer can be told whether something is theirs.
    if (payer !== undefined || !isAboutSomething) {
      await service.admit?.(judged.input, {
        payer: payer ?? '',
        now: new Date(),
        isNewcomer: true,
        requester,
      });
    }
    return null;
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
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
