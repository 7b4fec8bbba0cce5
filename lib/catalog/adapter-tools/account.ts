import { z } from 'zod';
import * as account from '../account';
import { noParams } from '../operation';
import { adapterTool, reads } from './tool';

const link = account.create.output.pick({ accountId: true, depositUrl: true });

export const balance = adapterTool({
  name: 'balance',
  title: 'Account balance',
  description: "Get the USDC balance of this machine's account.",
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
    'Get the page where a person adds USDC to the account. Give the link to the person; it cannot be used to spend money.',
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
    "Set this machine's account aside, open a new, empty one and return its deposit page. The balance of the old account is no longer used. Use this only if the person asks for it; to add money to the current account, use topup_link.",
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
        'The account that was set aside. Its token stays in the state file, because it may hold money.',
      ),
    stateFile: z.string().describe('The file with the tokens on this machine.'),
  }),
  example: {},
});
