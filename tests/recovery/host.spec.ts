import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from './fixtures';

test('a server killed in its host runs no more timers, queries or connections', async () => {
  const program = 'tests/recovery/host/after-the-end.ts';
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program]);
  expect(JSON.parse(stdout)).toEqual({
    isChildAlive: false,
    happened: [],
    heard: ['connection', 'before', 'close'],
    files: ['begun'],
  });
});
