import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { DataSubject } from '../moderation/erase-data';

interface ExportDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'keys'> {}

const pageRows = 500;

/**
 * What the service stores about a wallet, or a form with the responses to it. Without the stored responses of paid calls, which may have
 * secrets in them: their payer gets them with the same payment.
 */
export async function* exportData(app: ExportDeps, subject: DataSubject): AsyncGenerator<object> {
  if (subject.kind === 'form') yield* formWithResponses(app, subject.id);
  else yield* dataOfWallet(app, subject.id);
}

async function* dataOfWallet({ db, keys }: ExportDeps, wallet: string): AsyncGenerator<object> {
  for (let after = ''; ; ) {
    const calls = await db.paidCall.findMany({
      where: { payer: wallet, id: { gt: after } },
      orderBy: { id: 'asc' },
      take: pageRows,
      select: {
        ...{
          id: true,
          operation: true,
          rail: true,
          network: true,
          amountAtomic: true,
          payTo: true,
          state: true,
        },
        ...{ transactionHash: true, refusalReason: true, answerStatus: true, answerExpiresAt: true },
        ...{ createdAt: true, movedAt: true },
      },
    });
    for (const call of calls) yield { kind: 'call', ...call };
    after = calls.at(-1)?.id ?? '';
    if (calls.length < pageRows) break;
  }
  const uploads = await db.upload.findMany({
    where: { owner: wallet },
    orderBy: { id: 'asc' },
    select: {
      ...{
        id: true,
        paidCallId: true,
        mime: true,
        sizeBytes: true,
        sha256: true,
        slug: true,
        filename: true,
      },
      ...{ tags: true, createdAt: true, expiresAt: true, deletedAt: true, takenDownAt: true, erasedAt: true },
    },
  });
  for (const upload of uploads) yield { kind: 'upload', ...upload };
  const forms = await db.form.findMany({ where: { owner: wallet }, orderBy: { id: 'asc' } });
  for (const { readTokenHash: _, ...form } of forms) yield { kind: 'form', ...form };
  const requests = await db.refundRequest.findMany({
    where: { paidCall: { payer: wallet } },
    orderBy: { paidCallId: 'asc' },
  });
  for (const { message, ...request } of requests)
    yield {
      kind: 'refund_request',
      ...request,
      message: message && keys.decrypt(message).toString(),
    };
}

async function* formWithResponses({ db, keys }: ExportDeps, id: string): AsyncGenerator<object> {
  const form = await db.form.findUnique({ where: { id } });
  if (!form) return;
  const { readTokenHash: _, ...facts } = form;
  yield { kind: 'form', ...facts };
  const responses = await db.formResponse.findMany({ where: { formId: id }, orderBy: { number: 'asc' } });
  for (const { id: responseId, number, answers, recipient, submittedAt, deletedAt } of responses)
    yield {
      kind: 'response',
      id: responseId,
      number,
      submittedAt,
      deletedAt,
      answers: answers && JSON.parse(keys.decrypt(answers).toString()),
      recipient: recipient && keys.decrypt(recipient).toString(),
    };
}
