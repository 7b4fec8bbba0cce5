import { parseArgs } from 'node:util';
import { type TrialResult, tryProviders } from '../try-providers';
import { type Command, UsageError, withApp } from './command';

/** Calls each provider once, for the operator. */
export const providers: Command = {
  synopsis: 'providers --try [--json]',
  help: [
    'calls every provider that has a key once, as cheaply as possible (about a cent in all), and says what differs from what',
    'this version expects; exits with 1 if anything does',
    '--try         makes the calls',
    '--json        prints one JSON object per line instead of text',
  ],

  async run(args, context) {
    const flag = { type: 'boolean', default: false } as const;
    const { values } = parseArgs({ args: [...args], options: { try: flag, json: flag } });
    if (!values.try) throw new UsageError('--try is missing: the calls cost money.');
    return withApp(context, async (app) => {
      let tried = 0;
      let wrong = 0;
      for await (const result of tryProviders(app)) {
        tried += 1;
        if (result.differences.length > 0) wrong += 1;
        context.print(values.json ? JSON.stringify(result) : textOf(result));
      }
      if (!values.json && tried === 0) context.print('No provider has a key.');
      return wrong === 0 ? 0 : 1;
    });
  },
};

function textOf({ provider, what, isSandbox, differences }: TrialResult): string {
  const head = `${differences.length === 0 ? 'ok     ' : 'differs'}  ${provider}: ${what}${isSandbox ? ' (a sandbox)' : ''}`;
  return [head, ...differences.map((difference) => `         ${difference}`)].join('\n');
}
