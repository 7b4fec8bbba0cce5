import type { z } from 'zod';
import type { free } from '@/lib/catalog';
import type { Operation } from '@/lib/catalog/operation';
import { testFields } from '@/lib/catalog/test-service';
import { toAtomic } from '@/lib/payments/money';
import type { Network } from '@/lib/payments/network-offers';

/** `GET /v1/tools/prices`: the price of every paid call, with its rails and networks. */
export function pricesDocument(
  operations: readonly Operation[],
  offered: readonly Network[],
  isTest: boolean,
): z.output<typeof free.prices.output> {
  return {
    currency: 'USDC',
    ...testFields(isTest),
    atomicPerUnit: toAtomic('1').toString(),
    networks: offered.map(({ name, caip2 }) => ({ network: name, caip2 })),
    prices: Object.fromEntries(
      operations.map((operation) => [
        operation.priceName,
        {
          operation: operation.id,
          method: operation.method,
          paths: operation.paths,
          price: operation.price,
          ...(operation.variablePrice ? { maximum: operation.variablePrice.max } : {}),
          amountUsdcAtomic: toAtomic(operation.price).toString(),
          description: operation.summary,
        },
      ]),
    ),
  };
}
