import { describeErrors } from './description';

/** Errors of prepaid accounts. */
export const accountErrors = describeErrors({
  account_token_required: {
    status: 401,
    message:
      'This endpoint needs an account token. Send it as Authorization: Bearer <token>. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  account_token_wrong: {
    status: 401,
    message: 'The account token is not valid, or it was replaced or revoked. Nothing was charged.',
    payment: 'none',
    retry: 'stop',
  },
  insufficient_balance: {
    status: 402,
    message:
      'The account balance is too low for this call. Nothing was charged. Top up the account at its depositUrl.',
    payment: 'none',
    retry: 'pay',
  },
  account_not_found: {
    status: 404,
    message: 'There is no account with this ID. Nothing was charged.',
    payment: 'none',
    retry: 'stop',
  },
});
