import { describeErrors } from './description';

/** Of prepaid accounts. */
export const accountErrors = describeErrors({
  account_token_required: {
    status: 401,
    message:
      'This address is for the holder of an account: Authorization: Bearer <token>. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  account_token_wrong: {
    status: 401,
    message: 'This is not a token of any account, or it has been replaced or revoked. Nothing was charged.',
    payment: 'none',
    retry: 'stop',
  },
  insufficient_balance: {
    status: 402,
    message: 'The account holds less than the call costs. Nothing was charged; top it up at its depositUrl.',
    payment: 'none',
    retry: 'pay',
  },
  account_not_found: {
    status: 404,
    message: 'There is no such account. Nothing was charged.',
    payment: 'none',
    retry: 'stop',
  },
});
