import path from 'node:path';
import type { Question } from '@/lib/catalog/form-questions';
import type { JobOutcome, Requester, ThreadJob } from '@/lib/platform/threads';
import { ThreadPool } from '@/lib/platform/threads/thread-pool';
import type { ReadableForm } from '@/lib/services/forms/form';
import { createLinks } from '@/lib/services/forms/links/create-links';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

const requester: Requester = { address: 'here', owner: null, priority: 'free' };
const question: Question = { id: 'q', type: 'text', label: 'What do you like? '.repeat(16), required: false };
const form: ReadableForm = {
  id: 'fm_7Yd2kTq0BvXn4sWc9LzRj3Hp',
  readTokenHash: Buffer.alloc(32),
  content: { title: 'T', language: 'en', questions: [question] },
  closesAt: new Date(),
  readableUntil: new Date(),
  maxResponses: 100,
  responseCount: 0,
  deletedCount: 0,
  takenDownAt: null,
};

/** Threads whose queue is full. */
class FullThreads extends ThreadPool {
  readonly jobs: string[] = [];

  override async run<Data, Result>({ name }: ThreadJob<Data, Result>): Promise<JobOutcome<Result>> {
    this.jobs.push(name);
    return { kind: 'full' };
  }
}

test('the texts of many links are checked together in a thread, however short each is', async () => {
  const platform = testPlatform();
  const threads = new FullThreads(platform, {
    file: { file: path.resolve('tests/support/thread-jobs.mjs'), execArgv: [] },
    ...{ threads: 1, budgetMs: 1_000, lateAfterMs: 1_000, waitingMax: 1, waitingBytesMax: 1 },
  });
  const links = (count: number) => Array.from({ length: count }, () => ({ answers: { q: 'Soup' } }));
  const make = (count: number) => createLinks({ ...platform, threads }, form, links(count), requester);
  expect((await make(2)).links).toHaveLength(2);
  expect(threads.jobs).toEqual([]);
  await expect(make(100)).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(threads.jobs).toEqual(['findForbiddenContent']);
  await threads.close();
});
