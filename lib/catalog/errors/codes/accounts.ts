import { describeErrors } from './description';

/** Errors of prepaid accounts, and of signing in with a wallet. */
export const accountErrors = describeErrors({
  account_token_required: {
    status: 401,
    message:
      'This endpoint needs an account token. Send it as Authorization: Bearer <token>. Nothing was charged.',
    cause: 'The request to a path under `/v1/account/` has no `Authorization` header.',
    payment: 'none',
    retry: 'fix_input',
  },
  account_token_wrong: {
    status: 401,
    message: 'The account token is not valid, or it was replaced or revoked. Nothing was charged.',
    cause: 'The token has a typing error, or was rotated or revoked since.',
    payment: 'none',
    retry: 'stop',
  },
  insufficient_balance: {
    status: 402,
    message:
      'The account balance is too low for this call. Nothing was charged. Top up the account at its depositUrl.',
    cause: 'The account holds less than the price, perhaps because calls at the same time spent it first.',
    payment: 'none',
    retry: 'pay',
  },
  sign_in_required: {
    status: 402,
    message:
      'Sign in with a wallet: sign the message in extensions["sign-in-with-x"] and send the request again with the header SIGN-IN-WITH-X. This is free, and nothing was charged.',
    cause: 'The list belongs to a wallet, and the request does not show which.',
    payment: 'none',
    retry: 'fix_input',
  },
  sign_in_refused: {
    status: 401,
    message:
      'The sign-in was not accepted. Nothing was charged. Sign the new message in PAYMENT-REQUIRED and send the request again.',
    cause:
      'The message is older than five minutes, was used before, is for another service, or the signature is not that of its address.',
    payment: 'none',
    retry: 'fix_input',
  },
  account_not_found: {
    status: 404,
    message: 'There is no account with this ID. Nothing was charged.',
    cause: 'The ID in the link or the request has a typing error, or belongs to another service.',
    payment: 'none',
    retry: 'stop',
  },
});
