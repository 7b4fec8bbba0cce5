import { hostname, userInfo } from 'node:os';
import type { Operator } from '@/lib/operator/actions';
import { operatorName } from '@/lib/platform/console-operators';
import { UsageError } from './command';

/**
 * Who runs the program, for the log of actions: the system user on this machine, after the name that `--operator` gives. The name
 * proves nothing: whoever has the settings can do everything anyway.
 * @returns also the arguments without that option, which every command takes
 * @throws UsageError when the name could not be that of an operator
 */
export function takeOperator(args: readonly string[]): {
  readonly operator: Operator;
  readonly args: readonly string[];
} {
  const user = `${userName()}@${hostname()}`;
  const index = args.findIndex((arg) => arg === option || arg.startsWith(`${option}=`));
  if (index === -1) return { operator: { name: `cli:${user}`, address: null }, args };
  const isSplit = args[index] === option;
  const name = isSplit ? args[index + 1] : args[index]?.slice(option.length + 1);
  if (!operatorName.test(name ?? ''))
    throw new UsageError(
      `${option}: must be a name of up to 40 letters, digits, dots, dashes and underscores.`,
    );
  const operator = { name: `cli:${name} as ${user}`, address: null };
  return { operator, args: args.toSpliced(index, isSplit ? 2 : 1) };
}

const option = '--operator';

/** In a container the user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
