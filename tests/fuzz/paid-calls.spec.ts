import { expect, test } from '@playwright/test';
import { z } from 'zod';
import { operations } from '@/lib/catalog';
import type { Operation, RailName } from '@/lib/catalog/operation';
import { type Break, breaksOf, isNamedIn } from './breaks';
import { hostileBodies, marker } from './hostile';
import { sampled } from './sample';
import type { Json, Schema } from './schema';
import { examplePath, senderFor } from './senders';

/** A size in bytes above the limit of every body. */
const beyondLimits = 3_000_000;

const railsOf = ({ paths }: Operation) => Object.keys(paths) as RailName[];

const schemaOf = (operation: Operation) => z.toJSONSchema(operation.body, { io: 'input' }) as Schema;

/** What is wrong with the answer to a signed call whose input breaks a rule; null if nothing is. */
async function faultOf(answer: Response, broken: Break | null): Promise<string | null> {
  const text = await answer.text();
  if (![400, 413].includes(answer.status)) return `${answer.status} ${text.slice(0, 200)}`;
  const { error } = JSON.parse(text);
  if (error.payment !== 'none') return `payment is ${error.payment}`;
  if (text.includes(marker)) return 'the input is repeated';
  if (answer.headers.has('Paid-Call-Id')) return 'there is a paid call';
  const isNamed = broken === null || isNamedIn(broken, error.issues ?? []);
  return isNamed ? null : `names ${JSON.stringify(error.issues)}`;
}

for (const operation of operations.filter(({ takesBody }) => takesBody)) {
  for (const rail of railsOf(operation)) {
    test(`${operation.id} on ${rail}: each rule that a signed call breaks is named in an error that costs nothing`, async () => {
      test.setTimeout(300_000);
      const sender = await senderFor(operation, rail);
      const path = examplePath(operation, rail);
      const broken = sampled(breaksOf(schemaOf(operation), operation.example.body as Json));
      const faults: string[] = [];
      for (const one of broken) {
        const fault = await faultOf(await sender.send(path, JSON.stringify(one.value)), one);
        if (fault !== null) faults.push(`${one.path.join('.')}, ${one.what}: ${fault}`);
      }
      test.info().annotations.push({ type: 'inputs that break a rule', description: String(broken.length) });
      expect(faults).toEqual([]);
      await sender.expectNothingPaid();
    });
  }
}

for (const operation of operations) {
  for (const rail of railsOf(operation)) {
    test(`${operation.id} on ${rail}: a body that is no input is refused, signed or not, and costs nothing`, async () => {
      if (operation.method === 'GET') return;
      const sender = await senderFor(operation, rail);
      const path = examplePath(operation, rail);
      const oversized = ['a body beyond all limits', Buffer.alloc(beyondLimits, ' ')] as const;
      const faults: string[] = [];
      const bodies = sampled([...hostileBodies, oversized]);
      for (const [what, body] of bodies) {
        // An operation without a body accepts an empty one.
        if (!operation.takesBody && body.length === 0) continue;
        const fault = await faultOf(await sender.send(path, body), null);
        if (fault !== null) faults.push(`${what}: ${fault}`);
      }
      expect(faults).toEqual([]);
      await sender.expectNothingPaid();
    });
  }
}
