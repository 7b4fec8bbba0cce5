import { expect, test } from '../support/without-browser';
import { listFiles, read } from './sources';
import { textsIn } from './sql';

/**
 * What a statement may not do on its own: set `state` in an `UPDATE` or in the update of a conflicting insertion. A list that is
 * inserted behind `SET` begins with the column, in a text of its own.
 */
function setsState(text: string): boolean {
  const list = /\bSET\b([^;]*?)(?=\bFROM\b|\bWHERE\b|\bRETURNING\b|$)/gi;
  const lists = [...text.matchAll(list)].map(([, columns = '']) => columns);
  const fragment = /^\s*("?state"?|"?moved_at"?)\s*=\s*(?!')[^=]*,|,\s*"?moved_at"?\s*=/i;
  return lists.some((columns) => /(^|,)\s*"?state"?\s*=/i.test(columns)) || fragment.test(text);
}

test('only composed moves set the state of calls, settlement transactions and refunds', () => {
  const offences = listFiles(/^(app|lib|local|packages|tools)\/.*\.tsx?$/)
    .filter((file) => !file.includes('/generated/') && /\bSET\b|moved_at/.test(read(file)))
    .flatMap((file) =>
      textsIn(read(file))
        .filter(setsState)
        .map((text) => `${file}: ${text.slice(0, 200)}`),
    );
  expect(offences).toEqual([]);
});

test('a statement that sets the state on its own is found', () => {
  const found = [
    "UPDATE paid_call SET state = 'settled', moved_at = … WHERE id = …",
    'UPDATE paid_call SET worked_by = NULL,\n  state = outcome.state FROM outcome WHERE paid_call.id = outcome.id',
    'UPDATE refund SET state = $1',
    "INSERT INTO settlement_transaction (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET state = 'confirmed'",
    'UPDATE paid_call SET …, "state" = $1 WHERE id = $2',
    'state = …::paid_call_state, moved_at = …',
    'moved_at = $3, state = outcome.state',
    'worked_by = NULL, moved_at = $3',
  ];
  expect(found.filter((text) => !setsState(text))).toEqual([]);
  const innocent = [
    'UPDATE paid_call SET … WHERE id = … AND …',
    "UPDATE paid_call SET attempt_at = $1 WHERE state = 'refused'",
    "state = 'refused' AND refusal_final_at IS NULL",
  ];
  expect(innocent.filter(setsState)).toEqual([]);
});
