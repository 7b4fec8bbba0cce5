import {
  type ClientCall,
  type ClientCommand,
  client,
  clientCommands,
  clientExitCodes,
  clientOptions,
  clientSettings,
  priceOf,
} from '@/lib/catalog/client';
import { fieldOptionsOf } from '@/lib/catalog/client-options';

/** The help of the program. */
export function programHelp(): string {
  const commands = clientCommands.map(
    ({ name, args, summary, calls }) => [`${name} ${args}`, `${pricesOf(calls)}. ${summary}`] as const,
  );
  const settings = clientSettings.map(({ name, description }) => [name, description] as const);
  const exits = Object.values(clientExitCodes).map(
    ({ code, meaning }) => [String(code), `${meaning}.`] as const,
  );
  return `Usage: ${client.name} COMMAND

${client.description}

Commands:
${rows(commands)}

${client.name} COMMAND --help lists the options of a command.

Settings in the environment:
${rows(settings)}
Without a wallet and a token, calls are paid from an account of this machine, which is opened when it is first needed.

If a command is interrupted, run the same command again: it is charged once.

Exit codes:
${rows(exits)}
`;
}

/** The help of a command. */
export function commandHelp(command: ClientCommand): string {
  const { name, args, summary, calls, example } = command;
  const hasKinds = calls.length > 1;
  const kinds = calls.map(
    (one) => [one.kind, `${priceWords(priceOf(one))}. ${one.operation.summary}`] as const,
  );
  return `Usage: ${client.name} ${name} ${args} [OPTIONS]

${summary}

Example: ${example}

${hasKinds ? `--kind KIND, by default ${calls[0].kind}:` : 'The call:'}
${rows(kinds)}

Options${hasKinds ? ' for each kind' : ''}:
${calls.map((call) => callOptions(call, hasKinds)).join('\n')}

Options of every command:
${rows(clientOptions.map(({ flag, value, description }) => [usageOf(flag, value), description]))}
`;
}

function callOptions(call: ClientCall, hasKinds: boolean): string {
  const options = fieldOptionsOf(call).map(({ flag, type, isList, description, accepts }) => {
    const value = type === 'switch' ? null : type === 'number' ? 'NUMBER' : 'TEXT';
    const text = [description, accepts, isList && 'May be repeated.'].filter(Boolean).join(' ');
    return [usageOf(flag, value), text] as const;
  });
  const title = hasKinds ? `${call.kind}:\n` : '';
  return `${title}${options.length === 0 ? '  none' : rows(options)}`;
}

const usageOf = (flag: string, value: string | null): string => (value ? `--${flag} ${value}` : `--${flag}`);

const priceWords = (price: string | null): string => (price === null ? 'Free' : `${price} USDC`);

/** Two columns. */
function rows(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([first]) => first.length));
  return pairs.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`).join('\n');
}

function pricesOf(calls: readonly ClientCall[]): string {
  const prices = [...new Set(calls.map((one) => priceOf(one) ?? '0'))].sort((a, b) => Number(a) - Number(b));
  if (prices.join() === '0') return priceWords(null);
  return `${prices.join(' to ')} USDC`.replace(/ to .* to /, ' to ');
}
