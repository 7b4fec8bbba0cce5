import { takeDeposit } from '@/lib/accounts/deposit';
import { billing, forms, operations, render, uploads } from '@/lib/catalog';
import type { Operation } from '@/lib/catalog/operation';
import { createForm } from '@/lib/forms/create';
import { renderPdf } from '@/lib/render/pdf';
import type { Service } from '@/lib/service';
import { createUpload } from '@/lib/uploads/create';
import { removeUpload } from '@/lib/uploads/remove';
import { renewUpload } from '@/lib/uploads/renew';

/** What a call needs to be finished without the request that began it. */
export interface Work {
  readonly operation: Operation;
  readonly service: Service;
}

/** The services by operation, for whoever finishes calls without their request. A test holds it against the catalog. */
const services: Readonly<Record<string, unknown>> = {
  [uploads.create.id]: createUpload,
  [uploads.renew.id]: renewUpload,
  [uploads.remove.id]: removeUpload,
  [render.pdf.id]: renderPdf,
  [forms.create.id]: createForm,
  [billing.deposit.id]: takeDeposit,
};

/** @returns null for an operation that is not sold any more */
export function workFor(operationId: string): Work | null {
  const operation = operations.find(({ id }) => id === operationId);
  const service = services[operationId];
  // Each service above is typed for the operation beside it; the pair is handed on together.
  return operation && service ? { operation, service: service as Service } : null;
}

/** Everything that is sold, with what does it. */
export function everyWork(): Work[] {
  return operations.flatMap(({ id }) => workFor(id) ?? []);
}
