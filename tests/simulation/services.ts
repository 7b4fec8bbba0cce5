import { z } from 'zod';
import type { CallService } from '@/lib/calls/call-service';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { noParams, operation } from '@/lib/catalog/operation';
import type { Clock } from '@/lib/platform/clock';
import { providerUnreachable } from '@/lib/platform/upstream/failure';
import { noBudget } from './calls/word-count';
import type { Dice } from './dice';
import type { World } from './world';

/** What can be bought: something quick, something that is prepared, and something of a third party. */
export const operations = ['quick', 'prepared', 'third-party'] as const;
export type OperationName = (typeof operations)[number] | 'deposit';

const body = z.strictObject({ order: z.int(), accountId: z.string().optional() });

const offered = (name: OperationName, changes: { readonly creditsAccount?: string } = {}) =>
  operation({
    id: name,
    category: 'service',
    priceName: name,
    method: 'POST',
    paths: { x402: `/v1/${name}` },
    price: '0.01',
    title: name,
    summary: `The operation ${name}.`,
    params: noParams,
    body,
    takesBody: true,
    output: z.strictObject({ order: z.int(), time: z.int() }),
    errors: ['invalid_input'],
    example: { params: {}, body: { order: 1 }, output: { order: 1, time: 1 } },
    ...changes,
  });

const described = {
  quick: offered('quick'),
  prepared: offered('prepared'),
  'third-party': offered('third-party'),
  deposit: offered('deposit', { creditsAccount: 'accountId' }),
};

/** The services that all processes offer, and what they did. */
export class Services {
  readonly #world: World;
  /** How often the third party was asked, by paid call. */
  readonly asked = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
  }

  /** The services as one process uses them. */
  of(clock: Clock, dice: Dice): readonly [CallService, ...CallService[]] {
    const sleep = (ms: number) => clock.sleep(dice.between(1, ms));
    const mayFail = (chance: number) => dice.chance(chance) && this.#world.isFaulty;
    const shared = {
      check: undefined,
      isPrepared: false,
      callsThirdParty: false,
      budget: noBudget,
      isAvailable: () => true,
      warnings: () => [],
      admit: async () => undefined,
      prepare: async () => null,
      discard: async () => undefined,
    };
    // Its effect is idempotent, and so is its output.
    const deliver: CallService['deliver'] = async (input) => {
      await sleep(1_500);
      if (mayFail(0.1)) this.#fail('delivery fails', 'a delivery fails');
      return { order: body.parse(input).order, time: 0 };
    };
    return [
      { ...shared, operation: described.quick, deliver },
      { ...shared, operation: described.deposit, deliver },
      {
        ...shared,
        operation: described.prepared,
        isPrepared: true,
        prepare: async () => {
          await sleep(2_000);
          if (mayFail(0.1)) this.#fail('preparation fails', 'a preparation fails');
          return { prepared: true };
        },
        deliver,
      },
      {
        ...shared,
        operation: described['third-party'],
        callsThirdParty: true,
        deliver: async (input, { paidCallId }) => {
          await sleep(500);
          if (mayFail(0.1)) {
            this.#world.happens(
              'third party unreachable',
              paidCallId,
              'nothing can be sent to the third party',
            );
            throw new ApiError('delivery_pending', { paidCallId, reason: providerUnreachable });
          }
          const time = (this.asked.get(paidCallId) ?? 0) + 1;
          this.asked.set(paidCallId, time);
          await sleep(3_000);
          if (mayFail(0.3)) {
            this.#world.happens('third party says no', paidCallId, 'the third party says no');
            throw new ApiError('upstream_rejected', { paidCallId });
          }
          if (mayFail(0.1)) this.#fail('delivery fails', 'the answer of the third party is lost');
          return { order: body.parse(input).order, time };
        },
      },
    ];
  }

  #fail(fault: 'delivery fails' | 'preparation fails', what: string): never {
    this.#world.happens(fault, 'service', what);
    throw new Error(what);
  }
}
