import { z } from 'zod';
import * as account from '../account';
import { noParams } from '../operation';
import { adapterTool, reads } from './tool';

const link = account.create.output.pick({ accountId: true, depositUrl: true });

export const balance = adapterTool({
  name: 'balance',
  title: 'Account balance',
  description: 'How much USDC the account of this machine holds.',
  price: null,
  operation: account.get.id,
  ...reads,
  input: noParams,
  output: account.get.output,
  example: {},
});

export const topupLink = adapterTool({
  name: 'topup_link',
  title: 'Top-up link',
  description:
    'The page on which a person pays USDC into the account. Give it to the person; nothing can be spent with it.',
  price: null,
  operation: account.create.id,
  ...reads,
  input: noParams,
  output: link,
  example: {},
});

export const setupLink = adapterTool({
  name: 'setup_link',
  title: 'Start over with a new account',
  description:
    'Put the account of this machine aside and open a new, empty one; gives its deposit page. What is left in the old account is no longer spent. Only when the person asks for it: to add money to the account there is, use topup_link.',
  price: null,
  operation: account.create.id,
  readOnly: false,
  destructive: true,
  idempotent: false,
  openWorld: false,
  input: noParams,
  output: link.extend({
    previousAccountId: z
      .string()
      .nullable()
      .describe(
        'The account that was put aside. Its token stays in the state file, since it may hold money.',
      ),
    stateFile: z.string().describe('Where the tokens are kept on this machine.'),
  }),
  example: {},
});
