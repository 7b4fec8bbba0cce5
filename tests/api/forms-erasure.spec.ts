import { createApp } from '@/lib/app';
import { parseSettings } from '@/lib/platform/settings';
import { eraseForms } from '@/lib/services/forms/erase';
import { sql } from '../support/database';
import { stampOfAge } from '../support/form-stamps';
import { buyForm, postPage } from '../support/forms';
import { stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

/** The job as the server runs it, on the server's database, at a time that the test chooses. */
async function erase(now: Date): Promise<number> {
  const { serverEnv, apiUrl, filesUrl } = stack();
  const settings = parseSettings({ ...serverEnv, PUBLIC_URL: apiUrl, FILES_URL: filesUrl });
  const app = createApp({ settings });
  try {
    return await eraseForms(app, now, 1_000);
  } finally {
    await app.close();
  }
}

test('a form and its responses are erased seven days after it closed, not earlier', async () => {
  const closesAt = new Date(Date.now() + 120_000);
  const form = await buyForm({
    title: 'A title to be forgotten',
    closesAt: closesAt.toISOString(),
    questions: [{ id: 'a', type: 'text', label: 'A' }],
  });
  await postPage(form.url, { q_a: 'an answer', stamp: stampOfAge(form.id, 5_000) });
  const rows = () =>
    sql<{ content: unknown; answers: string }>(
      'SELECT content, (SELECT count(*) FROM form_response WHERE form_id = form.id) AS answers FROM form WHERE id = $1',
      [form.id],
    );
  await erase(new Date(closesAt.getTime() + 7 * 86_400_000 - 1_000));
  expect((await rows())[0]).toMatchObject({ answers: '1', content: { title: 'A title to be forgotten' } });
  expect(await erase(new Date(closesAt.getTime() + 7 * 86_400_000))).toBeGreaterThanOrEqual(1);
  expect(await rows()).toEqual([{ content: null, answers: '0' }]);
  const page = await fetch(form.url);
  expect(page.status).toBe(410);
  expect(await page.text()).not.toContain('forgotten');
});
