import { WorkBudget } from '@/lib/calls/work-budget';
import type { Input, Operation } from '@/lib/catalog/operation';
import type { DryRunService } from '@/lib/http/dry-run';
import type { HttpApp } from '@/lib/http/http-app';
import { workRecord } from '@/lib/ledger/work-record';
import { isAvailable } from '@/lib/platform/upstream/availability';
import { type AnyService, allServices, type ServicesApp } from '@/lib/services';

/** Gives every service what it needs of the app. */
export function openCallServices(app: ServicesApp): HttpApp['findCallService'] {
  const services = new Map(allServices().map((one) => [one.operation.id, openCallService(app, one)]));
  return (operationId) => services.get(operationId) ?? null;
}

function openCallService(app: ServicesApp, service: AnyService): DryRunService {
  const { operation } = service;
  // The operation's schemas parsed it before it was stored.
  const parsed = (input: unknown) => input as Input<Operation>;
  return {
    operation,
    check: service.check,
    isPrepared: service.prepare !== undefined,
    callsThirdParty: service.callsThirdParty === true,
    budget: new WorkBudget({
      record: workRecord(app),
      factor: app.settings.UNCHARGED_WORK_FACTOR,
      kind: () => service.preparesWith?.(app) ?? null,
      problems: app.problems,
    }),
    isAvailable: () => isAvailable(app, operation),
    warnings: (input, prepared) => service.warnings?.(parsed(input), prepared) ?? [],
    admit: async (input, caller) => service.admit?.(app, parsed(input), caller),
    foresee: async (input) => (await service.foresee?.(app, parsed(input))) ?? [],
    nextCommand: async (input) => (await service.nextCommand?.(app, parsed(input))) ?? null,
    prepare: async (input, preparation) => (await service.prepare?.(app, parsed(input), preparation)) ?? null,
    discard: async (prepared) => service.discard?.(app, prepared),
    deliver: (input, delivery) => service.deliver(app, parsed(input), delivery),
  };
}
