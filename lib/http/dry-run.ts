import { getAddress, isAddress } from 'viem';
import type { z } from 'zod';
import type { dryRun as catalogDryRun } from '@/lib/catalog';
import { type ApiError, isApiError } from '@/lib/catalog/errors/api-error';
import { errorBody } from '@/lib/catalog/errors/error-body';
import type { Operation } from '@/lib/catalog/operation';
import { testFields } from '@/lib/catalog/test-service';
import type { HttpApp } from '@/lib/http/http-app';
import { toAtomic } from '@/lib/payments/money';
import { isEvmOffer } from '@/lib/payments/networks';
import type { Requester } from '@/lib/platform/threads';
import { type AnyService, allServices, findService } from '@/lib/services';
import type { Warning } from '@/lib/services/service';
import { acceptDryRun } from './accept-input';
import type { ApiRequest } from './api-message';
import { readBytes, usualBodyBytesMax } from './body';
import { clientAddressOf } from './client-address';
import { requestIdOf } from './respond';
import { errorFrom, type ValidatedDryRun } from './validate-input';

type ParsedDryRun = Extract<ValidatedDryRun, { kind: 'parsed' }>;
type Verdict = z.output<typeof catalogDryRun.check.output>;

/** The dry run's own fields, around the body of the call. */
const wrapperBytes = 16 * 1024;

/** The largest body of any operation, plus those fields. */
function bytesMax(): number {
  const largest = allServices().map(({ operation }) => operation.bodyBytesMax ?? usualBodyBytesMax);
  return wrapperBytes + Math.max(...largest);
}

/**
 * `POST /v1/tools/check`: validates an input as the real call would, before its payment is looked at, and asks the
 * service whether it would accept it. Stores nothing.
 */
export async function dryRun(app: HttpApp, request: ApiRequest): Promise<{ body: Verdict }> {
  const bytes = await readBytes(request, bytesMax());
  const requester: Requester = { address: clientAddressOf(app, request), owner: null, priority: 'free' };
  const dryRunRequest = await acceptDryRun(app, bytes, (id) => findService(id) ?? undefined, requester);
  if (dryRunRequest.kind === 'refused') throw errorFrom(dryRunRequest, {});
  const service = findService(dryRunRequest.operation);
  if (!service) throw new Error(`no service for ${dryRunRequest.operation}`);
  return { body: await judge(app, service, dryRunRequest, requester, requestIdOf(request)) };
}

async function judge(
  app: HttpApp,
  service: AnyService,
  dryRunRequest: ParsedDryRun,
  requester: Requester,
  requestId: string,
): Promise<Verdict> {
  const { operation } = service;
  const refusal = await refusalOf(app, service, dryRunRequest, requester);
  const warnings = warningsOf(service, dryRunRequest).map(({ message }) => message);
  const { validated, payer } = dryRunRequest;
  if (refusal === null && validated.kind === 'accepted' && payer !== undefined)
    warnings.push(...((await service.foresee?.(app, validated.input)) ?? []));
  return {
    operation: operation.id,
    ...testFields(app.settings.NETWORKS === 'test'),
    accepted: refusal === null,
    ...(refusal ? { error: errorBody(refusal, requestId, app.settings.PUBLIC_URL).error } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
    // Where the caller names the price and the body has no valid one, this is the minimum.
    ...costOf(app, dryRunRequest.price === null ? operation : { ...operation, price: dryRunRequest.price }),
  };
}

/** The warnings that the call's response would contain. */
function warningsOf(service: AnyService, { validated }: ParsedDryRun): readonly Warning[] {
  return validated.kind === 'accepted' ? (service.warnings?.(validated.input) ?? []) : [];
}

/** @returns the error that the call would get; null when it would be accepted */
async function refusalOf(
  app: HttpApp,
  service: AnyService,
  { validated, payer }: ParsedDryRun,
  requester: Requester,
): Promise<ApiError | null> {
  const { operation } = service;
  if (validated.kind === 'refused') return errorFrom(validated, operation);
  try {
    const isAboutSomething = Object.keys(operation.params.shape).length > 0;
    // Whether a payer may use an existing object can only be answered for a named payer.
    if (payer !== undefined || !isAboutSomething) {
      await service.admit?.(app, validated.input, {
        // Addresses are stored with their checksum.
        payer: payer !== undefined && isAddress(payer, { strict: false }) ? getAddress(payer) : (payer ?? ''),
        // Nothing says on which network a named payer would pay.
        onlyOn: null,
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
