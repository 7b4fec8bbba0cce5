import { features } from '@/lib/app/features';
import { commandsWith, usageOf, usageOfAll } from '@/lib/operator/commands';
import { paymentsIn } from '@/lib/operator/commands/book';
import { UsageError } from '@/lib/operator/commands/command';
import { takeOperator } from '@/lib/operator/commands/system-operator';
import { expect, test } from '../support/without-browser';

const commands = commandsWith(features.flatMap((feature) => feature.commands));
const usage = usageOfAll(commands);

test('the help of each command explains every option that its first line shows', () => {
  for (const command of commands) {
    const help = command.help.join('\n');
    for (const [option] of command.synopsis.matchAll(/--[a-z][a-z-]*/g))
      expect(help, command.synopsis).toContain(option);
    expect(usage).toContain(command.synopsis);
    expect(usageOf(command)).toContain('Exit codes: 0 all well');
    for (const line of usageOf(command).split('\n')) expect(line.length, line).toBeLessThan(200);
  }
});

test('the help names every value that an option takes from a list', () => {
  const helpOf = (name: string) =>
    usageOf(commands.find(({ synopsis }) => synopsis.startsWith(name)) ?? never());
  for (const [command, values] of [
    ['calls', ['needs_attention', 'delivered', 'solana-mainnet', 'x402', 'mpp', 'account']],
    ['book', ['base', 'polygon', 'arbitrum', 'solana-mainnet', 'already_booked']],
    ['refund', ['not_delivered', 'duplicate', 'requested_by_caller', 'other']],
    ['takedown', ['phishing', 'malware', 'illegal', 'harm', 'privacy', 'copyright', 'other']],
    ['doctor', ['database', 'networks']],
    ['receipt', ['POST', 'GET', 'DELETE']],
  ] as const)
    for (const value of values) expect(helpOf(command), command).toContain(value);
});

function never(): never {
  throw new Error('there is no such command');
}

test('--operator names who runs a command, anywhere among its arguments', () => {
  for (const given of [['--operator', 'ada'], ['--operator=ada']]) {
    const { operator, args } = takeOperator(['pc_1', ...given, '--yes']);
    expect(operator).toEqual({ name: expect.stringMatching(/^cli:ada as .+@.+$/), address: null });
    expect(args).toEqual(['pc_1', '--yes']);
  }
  expect(takeOperator(['pc_1'])).toEqual({
    operator: { name: expect.stringMatching(/^cli:[^ ]+@.+$/), address: null },
    args: ['pc_1'],
  });
  for (const name of ['', 'a b', 'ada\nroot', '--yes', 'x'.repeat(41)])
    expect(() => takeOperator(['--operator', name]), name).toThrow(UsageError);
  expect(() => takeOperator(['--operator'])).toThrow(UsageError);
});

test('a list to book has findings of the audit and items of the worklist, and anything else is counted', () => {
  const payment = {
    network: 'base',
    payer: '0x1',
    authorization: '0xAB',
    transactionHash: '0x2',
    addedInALaterVersion: true,
  };
  const lines = [
    '',
    '> tuppence@0.0.16 tuppence',
    JSON.stringify({ promise: 'a used authorization has a paid call', about: 'base', payment }),
    JSON.stringify({ promise: 'a balance has an account', about: 'acct_1', payment: null }),
    JSON.stringify({ kind: 'transfer_without_call', id: 'tw_1', amount: '0.005' }),
    JSON.stringify({ kind: 'needs_attention', id: 'pc_1' }),
    '',
  ];
  expect(paymentsIn(lines.join('\n'))).toEqual({
    wanted: [{ network: 'base', transactionHash: '0x2', authorization: '0xab' }, { id: 'tw_1' }],
    others: 2,
  });
  for (const line of ['broken: a used authorization has a paid call (base)', '1', 'null', '{"payment"'])
    expect(() => paymentsIn(`${lines.join('\n')}${line}\n`), line).toThrow('line 7 is not a JSON object');
});
