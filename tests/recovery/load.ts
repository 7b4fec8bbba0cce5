import type { History } from './history/history';
import { newPayer, type PaymentMethod, signFor } from './rig/payment-methods';
import type { Rig } from './rig/rig';
import { until } from './rig/waiting';

/** A client under way; `stop` lets it finish what it has begun. */
export interface Buyer {
  stop(): void;
  readonly ended: Promise<void>;
}

/** How long a client insists on one answer. */
const insistMs = 120_000;

/** @returns the first, the second, … and again from the start */
function inTurn(rigs: readonly Rig[]): () => Rig {
  let turn = 0;
  return () => {
    turn += 1;
    return rigs[turn % rigs.length] as Rig;
  };
}

/**
 * A wallet that creates, renews and deletes uploads, one after another, and insists on every answer.
 * @param rigs the instances of the service; prices are asked at each in turn; each request goes to the next of them, and so does each repetition of it
 */
export function startBuyer(rigs: readonly Rig[], payWith: PaymentMethod, history: History): Buyer {
  let isOver = false;
  const nextToAsk = inTurn(rigs);
  const nextToBuyAt = inTurn(rigs);
  const [first] = rigs;
  if (!first) throw new Error('a buyer needs a server');
  const shop = async () => {
    const wallet = await newPayer(first, payWith);
    const buy = async (path?: string, method?: string): Promise<string | null> => {
      // A server that is just being started gives no price yet.
      const request = await until('a price', () =>
        signFor(payWith, nextToAsk(), wallet, { path, method }).catch(() => null),
      );
      const { status, body } = await history.persist(
        request,
        insistMs,
        undefined,
        () => nextToBuyAt().apiUrl,
      );
      return status === 200 ? (body.id as string) : null;
    };
    while (!isOver) {
      const id = await buy();
      if (id) await buy(`/uploads/${id}/renew`);
      if (id) await buy(`/uploads/${id}`, 'DELETE');
    }
  };
  const ended = shop();
  // The test awaits buyers later; until then a failure must not count as an unhandled rejection.
  ended.catch(() => undefined);
  return {
    stop() {
      isOver = true;
    },
    ended,
  };
}
