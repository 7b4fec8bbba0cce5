import type { z } from 'zod';
import type { dryRun as catalogDryRun } from '@/lib/catalog';
import type { Operation } from '@/lib/catalog/operation';
import { type ApiError, isApiError } from '@/lib/errors/api-error';
import { errorBody } from '@/lib/errors/error-body';
import type { HttpApp } from '@/lib/http/app';
import { toAtomic } from '@/lib/payments/money';
import { isEvmOffer } from '@/lib/payments/networks';
import { type AnyService, allServices, findService } from '@/lib/services';
import type { Warning } from '@/lib/services/service';
import type { Requester } from '@/lib/threads';
import { acceptDryRun } from './accept-input';
import { readBytes, usualBodyBytesMax } from './body';
import { clientAddressOf } from './client-address';
import { errorFrom, type JudgedDryRun } from './judge-input';
import { requestIdOf } from './respond';

type Asked = Extract<JudgedDryRun, { kind: 'asked' }>;
type Verdict = z.output<typeof catalogDryRun.check.output>;

/** What stands around the body of the call in the body of its dry run. */
const wrapperBytes = 16 * 1024;

/** The largest input of any operation, in its wrapper. */
function bytesMax(): number {
  const largest = allServices().map(({ operation }) => operation.bodyBytesMax ?? usualBodyBytesMax);
  return wrapperBytes + Math.max(...largest);
}

/**
 * `POST /v1/tools/check`: takes an input through everything that the real call would take it through before its payment is
 * looked at, and then through what the service would say to the payer. Keeps nothing.
 */
export async function dryRun(app: HttpApp, request: Request): Promise<{ body: Verdict }> {
  const bytes = await readBytes(request, bytesMax());
  const requester: Requester = { address: clientAddressOf(app, request), payer: null, standing: 'free' };
  const asked = await acceptDryRun(app, bytes, (id) => findService(id) ?? undefined, requester);
  if (asked.kind === 'refused') throw errorFrom(asked, {});
  const service = findService(asked.operation);
  if (!service) throw new Error(`nothing does ${asked.operation}`);
  return { body: await judge(app, service, asked, requester, requestIdOf(request)) };
}

async function judge(
  app: HttpApp,
  service: AnyService,
  asked: Asked,
  requester: Requester,
  requestId: string,
): Promise<Verdict> {
  const { operation } = service;
  const refusal = await refusalOf(app, service, asked, requester);
  const warnings = warningsOf(service, asked);
  return {
    operation: operation.id,
    accepted: refusal === null,
    ...(refusal ? { error: errorBody(refusal, requestId, app.settings.PUBLIC_URL).error } : {}),
    ...(warnings.length > 0 ? { warnings: warnings.map(({ message }) => message) } : {}),
    // At its least where the body names no price that is taken.
    ...costOf(app, asked.price === null ? operation : { ...operation, price: asked.price }),
  };
}

/** What the answer of the call would warn of. */
function warningsOf(service: AnyService, { judged }: Asked): readonly Warning[] {
  return judged.kind === 'accepted' ? (service.warnings?.(judged.input) ?? []) : [];
}

/** @returns what the call would be refused with; null when it would be taken */
async function refusalOf(
  app: HttpApp,
  service: AnyService,
  { judged, payer }: Asked,
  requester: Requester,
): Promise<ApiError | null> {
  const { operation } = service;
  if (judged.kind === 'refused') return errorFrom(judged, operation);
  try {
    const isAboutSomething = Object.keys(operation.params.shape).length > 0;
    // Only a payer can be told whether something is theirs.
    if (payer !== undefined || !isAboutSomething) {
      await service.admit?.(app, judged.input, {
        payer: payer ?? '',
        now: app.clock.date(),
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

function costOf(app: HttpApp, { price, paths }: Operation): Pick<Verdict, 'price' | 'paths' | 'networks'> {
  const amountUsdcAtomic = toAtomic(price).toString();
  return {
    price,
    paths,
    networks: app.payments.networks.offered().map((offer) => ({
      network: offer.network.name,
      caip2: offer.network.caip2,
      asset: offer.asset,
      amountUsdcAtomic,
      rails: ['x402', ...(paths.mpp && isEvmOffer(offer) ? ['mpp'] : [])],
    })),
  };
}
