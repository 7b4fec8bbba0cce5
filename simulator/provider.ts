import type { CallService } from '@/lib/calls/call-service';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { Clock } from '@/lib/platform/clock';
import { providerUnreachable } from '@/lib/platform/upstream/failure';
import type { Dice } from '@/tests/simulation/dice';
import { Services } from '@/tests/simulation/services';
import type { World } from '@/tests/simulation/world';

interface ProviderParts {
  /** Whether it can be reached. */
  readonly isDown: () => boolean;
  readonly say: (what: string) => void;
}

/** The services of the simulation, with a third party that is down while a visitor lets it fail. */
export class FaultyProvider extends Services {
  readonly #parts: ProviderParts;

  constructor(world: World, parts: ProviderParts) {
    super(world);
    this.#parts = parts;
  }

  override of(clock: Clock, dice: Dice): readonly [CallService, ...CallService[]] {
    const [first, ...others] = super.of(clock, dice);
    return [this.#mayFail(first), ...others.map((service) => this.#mayFail(service))];
  }

  #mayFail(service: CallService): CallService {
    if (!service.callsThirdParty) return service;
    const { isDown, say } = this.#parts;
    return {
      ...service,
      deliver: async (input, context) => {
        if (isDown()) {
          say('Cannot reach the provider. Nothing was sent to it.');
          throw new ApiError('delivery_pending', {
            paidCallId: context.paidCallId,
            reason: providerUnreachable,
          });
        }
        say('Asks the provider to do the work.');
        const output = await service.deliver(input, context);
        say('Has the result from the provider.');
        return output;
      },
    };
  }
}
