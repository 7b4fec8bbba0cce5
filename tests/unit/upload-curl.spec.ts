import { execFileSync } from 'node:child_process';
import { curlOfPut } from '@/lib/services/uploads/curl';
import { expect, test } from '../support/without-browser';

/** What a shell passes to curl. */
function argumentsOf(command: string): string[] {
  const script = command.replace(/^curl /, "printf '%s\\0' ");
  const env = { ...process.env, UPLOAD_URL: 'https://files.example.com/up?a=1&b=$2' };
  return execFileSync('/bin/sh', ['-c', script], { env, encoding: 'utf8' }).split('\0').slice(0, -1);
}

test('a shell passes the name of the file, the headers and the URL to curl unchanged, whatever they contain', () => {
  const names = [
    'notes.txt',
    "it's.txt",
    '$(touch x).txt',
    '`id`',
    'a"b\\c',
    '-rf',
    'two\nlines',
    '報告 *?{1}.txt',
    '!!;&|<>#~',
  ];
  for (const name of names) {
    const headers = {
      'content-type': `text/plain; charset="it's"`,
      'content-length': '5',
      'x-amz-meta-sha256': 'ab',
    };
    expect(argumentsOf(curlOfPut(name, headers)), name).toEqual([
      '-sS',
      '-X',
      'PUT',
      '--data-binary',
      `@${name}`,
      '-H',
      `content-type: text/plain; charset="it's"`,
      '-H',
      'x-amz-meta-sha256: ab',
      'https://files.example.com/up?a=1&b=$2',
    ]);
  }
});
