import { expect, test } from '@playwright/test';
import { operations } from '@/lib/catalog';
import type { Operation } from '@/lib/catalog/operation';
import { toAtomic } from '@/lib/payments/money';
import { balanceOf } from '../support/balances';
import { envelopeFor, paymentHeader } from '../support/buyer';
import { newEvmPayer } from '../support/payers';
import { stack } from '../support/stack';
import { hostileTexts, marker } from './hostile';
import { sampled } from './sample';
import type { Json } from './schema';
import { examplePath } from './senders';

const on = 'base';
const startAtomic = 1_000_000_000n;

/** The same value, once for each of its texts with that text replaced. */
function* withText(value: Json, text: string): Generator<Json> {
  if (typeof value === 'string') yield text;
  else if (Array.isArray(value))
    for (const [index, item] of value.entries())
      for (const other of withText(item, text)) yield value.with(index, other);
  else if (value !== null && typeof value === 'object')
    for (const [name, field] of Object.entries(value))
      for (const other of withText(field, text)) yield { ...value, [name]: other };
}

/** The result of a call. */
interface Outcome {
  readonly isCharged: boolean;
  readonly fault: string | null;
}

async function outcomeOf(answer: Response): Promise<Outcome> {
  const text = await answer.text();
  if (answer.status === 200) return { isCharged: true, fault: null };
  const { error } = JSON.parse(text);
  const isCharged = error.payment === 'kept';
  if (answer.status >= 500) return { isCharged, fault: `${answer.status} ${text.slice(0, 300)}` };
  if (text.includes(marker)) return { isCharged, fault: 'the input is repeated' };
  const isRefused = [400, 404, 413, 422].includes(answer.status);
  return { isCharged, fault: isRefused ? null : `${answer.status} ${text.slice(0, 300)}` };
}

/** Buys with the official client, reusing a payment as long as it has not been spent. */
class Buyer {
  readonly #operation: Operation;
  readonly #wallet: Awaited<ReturnType<typeof newEvmPayer>>;
  #payment: Record<string, string> | null = null;
  #charged = 0n;

  constructor(operation: Operation, wallet: Awaited<ReturnType<typeof newEvmPayer>>) {
    this.#operation = operation;
    this.#wallet = wallet;
  }

  async buy(body: Json): Promise<string | null> {
    const { method } = this.#operation;
    const url = stack().apiUrl + examplePath(this.#operation, 'x402');
    this.#payment ??= paymentHeader(await envelopeFor(url, this.#wallet, on, method));
    const headers = { 'Content-Type': 'application/json', ...this.#payment };
    const { isCharged, fault } = await outcomeOf(
      await fetch(url, { method, headers, body: JSON.stringify(body) }),
    );
    if (isCharged) {
      this.#payment = null;
      this.#charged += 1n;
    }
    return fault;
  }

  /** Fails unless exactly those calls were charged that reported a charge. */
  async expectCharged(): Promise<void> {
    const price = toAtomic(this.#operation.price);
    expect(await balanceOf(this.#wallet, on)).toBe(startAtomic - this.#charged * price);
  }
}

for (const operation of operations.filter(({ takesBody, variablePrice }) => takesBody && !variablePrice)) {
  test(`${operation.id}: whatever text is in its input, a signed call is delivered, or refused without a charge and without repeating it`, async () => {
    test.setTimeout(300_000);
    const cases = hostileTexts.flatMap((text) =>
      [...withText(operation.example.body as Json, text)].map((body) => ({ text, body })),
    );
    const buyer = new Buyer(operation, await newEvmPayer(startAtomic, [on]));
    const faults: string[] = [];
    const chosen = sampled(cases);
    for (const { text, body } of chosen) {
      const fault = await buyer.buy(body);
      if (fault !== null) faults.push(`${JSON.stringify(text).slice(0, 60)}: ${fault}`);
    }
    test.info().annotations.push({ type: 'hostile texts', description: String(chosen.length) });
    expect(faults).toEqual([]);
    await buyer.expectCharged();
  });
}
