import { getAddress, isAddress } from 'viem';
import type { z } from 'zod';
import type { CallService } from '@/lib/calls/call-service';
import { type dryRun as catalogDryRun, operations } from '@/lib/catalog';
import { type ApiError, isApiError } from '@/lib/catalog/errors/api-error';
import { errorBody } from '@/lib/catalog/errors/error-body';
import type { Operation } from '@/lib/catalog/operation';
import { testFields } from '@/lib/catalog/test-service';
import type { Payments } from '@/lib/payments/app-payments';
import { toAtomic } from '@/lib/payments/money';
import { isEvmOffer } from '@/lib/payments/network-offers';
import type { Platform } from '@/lib/platform/platform';
import type { Requester, WithThreads } from '@/lib/platform/threads';
import { acceptDryRun } from './accept-input';
import type { ApiRequest } from './api-message';
import { readBytes, usualBodyBytesMax } from './body';
import { clientAddressOf } from './client-address';
import { requestIdOf } from './respond';
import type { ValidatedDryRun } from './validate-dry-run';
import { errorFrom } from './validate-input';

type ParsedDryRun = Extract<ValidatedDryRun, { kind: 'parsed' }>;
type Verdict = z.output<typeof catalogDryRun.check.output>;

/** A service as a dry run uses it. */
export interface DryRunService extends CallService {
  /** Warnings about a call that a named payer would make. */
  foresee(input: unknown): Promise<readonly string[]>;
  /** A shell command for what comes after the paid call; null for most calls. */
  nextCommand(input: unknown): Promise<string | null>;
}

interface DryRunDeps extends WithThreads, Pick<Platform, 'settings' | 'clock'> {
  readonly clientAddressHeader: string;
  readonly payments: Payments;
  readonly findCallService: (operationId: string) => DryRunService | null;
}

/** The dry run's own fields, around the body of the call. */
const wrapperBytes = 16 * 1024;

/** The largest body of any operation, plus those fields. */
function bytesMax(): number {
  const largest = operations.map(({ bodyBytesMax }) => bodyBytesMax ?? usualBodyBytesMax);
  return wrapperBytes + Math.max(...largest);
}

/**
 * `POST /v1/tools/check`: validates an input as the real call would, before its payment is looked at, and asks the
 * service whether it would accept it. Stores nothing.
 */
export async function dryRun(app: DryRunDeps, request: ApiRequest): Promise<{ body: Verdict }> {
  const bytes = await readBytes(request, bytesMax());
  const requester: Requester = { address: clientAddressOf(app, request), owner: null, priority: 'free' };
  const dryRunRequest = await acceptDryRun(app, bytes, app.findCallService, requester);
  if (dryRunRequest.kind === 'refused') throw errorFrom(dryRunRequest, {});
  const service = app.findCallService(dryRunRequest.operation);
  if (!service) throw new Error(`no service for ${dryRunRequest.operation}`);
  return { body: await judge(app, service, dryRunRequest, requester, requestIdOf(request)) };
}

async function judge(
  app: DryRunDeps,
  service: DryRunService,
  dryRunRequest: ParsedDryRun,
  requester: Requester,
  requestId: string,
): Promise<Verdict> {
  const { operation } = service;
  const refusal = await refusalOf(app, service, dryRunRequest, requester);
  const warnings = warningsOf(service, dryRunRequest);
  const { validated, payer } = dryRunRequest;
  if (refusal === null && validated.kind === 'accepted' && payer !== undefined)
    warnings.push(...(await service.foresee(validated.input)));
  const isAccepted = refusal === null && validated.kind === 'accepted';
  const next = isAccepted ? await service.nextCommand(validated.input) : null;
  return {
    operation: operation.id,
    ...testFields(app.settings.NETWORKS === 'test'),
    accepted: refusal === null,
    ...(refusal ? { error: errorBody(refusal, requestId, app.settings.PUBLIC_URL).error } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(next === null ? {} : { next }),
    // Where the caller names the price and the body has no valid one, this is the minimum.
    ...costOf(app, dryRunRequest.price === null ? operation : { ...operation, price: dryRunRequest.price }),
  };
}

/** The warnings that the call's response would contain, and those of the input's check. */
function warningsOf(service: DryRunService, { validated }: ParsedDryRun): string[] {
  if (validated.kind !== 'accepted') return [];
  const ofResponse = service.warnings(validated.input, null).map(({ message }) => message);
  return [...ofResponse, ...validated.warnings];
}

/** @returns the error that the call would get; null when it would be accepted */
async function refusalOf(
  app: Pick<Platform, 'clock'>,
  service: DryRunService,
  { validated, payer }: ParsedDryRun,
  requester: Requester,
): Promise<ApiError | null> {
  const { operation } = service;
  if (validated.kind === 'refused') return errorFrom(validated, operation);
  try {
    const isAboutSomething = Object.keys(operation.params.shape).length > 0;
    // Whether a payer may use an existing object can only be answered for a named payer.
    if (payer !== undefined || !isAboutSomething) {
      await service.admit(validated.input, {
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

function costOf(
  app: { readonly payments: Payments },
  { price, paths }: Operation,
): Pick<Verdict, 'price' | 'paths' | 'networks'> {
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
