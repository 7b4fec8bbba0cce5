import { expect, test } from '@playwright/test';
import { freeOperations, operations } from '@/lib/catalog';
import { findFreeHandler } from '@/lib/http/free-operations';
import { findService, services } from '@/lib/services';

test('every paid operation of the catalog has one service, in the list of lib/services/index.ts', () => {
  for (const { id } of operations)
    expect(findService(id)?.operation.id, `lib/services/index.ts lists no service for ${id}`).toBe(id);
  const ids = services.map(({ operation }) => operation.id);
  expect(ids, 'lib/services/index.ts lists a service twice').toEqual([...new Set(ids)]);
});

test('every service belongs to an operation that lib/catalog/index.ts lists', () => {
  const sold = operations.map(({ id }) => id);
  for (const { operation } of services) {
    expect(sold, `lib/catalog/index.ts does not list ${operation.id}, which has a service`).toContain(
      operation.id,
    );
  }
});

test('every free operation has something that answers it, in lib/http/free-operations.ts', () => {
  for (const { id } of freeOperations)
    expect(findFreeHandler(id), `lib/http/free-operations.ts has nothing for ${id}`).not.toBeNull();
});
