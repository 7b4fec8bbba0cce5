import { freeOperations, operations } from '@/lib/catalog';
import { findFreeHandler } from '@/lib/http/free-operations';
import { findService, services } from '@/lib/services';
import { expect, test } from '../support/without-browser';

test('every paid operation of the catalog has one service, in the list of lib/services/index.ts', () => {
  for (const { id } of operations)
    expect(findService(id)?.operation.id, `lib/services/index.ts lists no service for ${id}`).toBe(id);
  const ids = services.map(({ operation }) => operation.id);
  expect(ids, 'lib/services/index.ts lists two services for one operation').toEqual([...new Set(ids)]);
});

test('every service belongs to an operation that the catalog offers', () => {
  const offered = operations.map(({ id }) => id);
  for (const { operation } of services) {
    const message = `lib/services/index.ts has a service for ${operation.id}, which no list in lib/catalog has`;
    expect(offered, message).toContain(operation.id);
  }
});

test('every free operation has a handler in lib/http/free-operations.ts', () => {
  for (const { id } of freeOperations)
    expect(findFreeHandler(id), `lib/http/free-operations.ts has nothing for ${id}`).not.toBeNull();
});
