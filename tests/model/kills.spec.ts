import { allTitles } from '../repo/test-titles';
import { expect, test } from '../support/without-browser';
import { follow } from './checker';
import { kills } from './kills';
import { paidCall } from './paid-call';
import { variants } from './variants';

const model = paidCall(variants['one reorganization, a stranger']);

test('every test that kills a server during a call is a history of the model', () => {
  expect(Object.keys(kills).sort()).toEqual(
    [...(allTitles().get('tests/recovery/kill.spec.ts') ?? [])].sort(),
  );
});

for (const [title, kill] of Object.entries(kills)) {
  if ('leftOut' in kill) continue;
  test(`the model has the history of "${title}", which ends delivered`, () => {
    for (const history of kill.histories) {
      const end = follow(model, history);
      expect([end.row?.state, end.told !== null || history.includes('B recovers the call')]).toEqual([
        'delivered',
        true,
      ]);
      expect([model.isEnd(end), model.broken(end)]).toEqual([true, []]);
    }
  });
}
