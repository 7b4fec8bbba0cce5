import { describeErrors } from './description';

/** Errors of forms and their responses. */
export const formErrors = describeErrors({
  form_invalid: {
    status: 400,
    message: 'The form is not valid. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  form_forbidden_content: {
    status: 400,
    message:
      'Forms must not ask for passwords, codes, keys or bank details. The form was not created and nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  read_token_required: {
    status: 401,
    message:
      'Reading responses needs the read token of the form. Send it as Authorization: Bearer <readToken>.',
    payment: 'none',
    retry: 'fix_input',
  },
  read_token_wrong: {
    status: 403,
    message: 'This is not the read token of this form.',
    payment: 'none',
    retry: 'stop',
  },
  form_not_found: { status: 404, message: 'There is no form with this ID.', payment: 'none', retry: 'stop' },
  form_gone: {
    status: 410,
    message: 'The responses to this form were deleted after its readableUntil.',
    payment: 'none',
    retry: 'stop',
  },
  form_taken_down: {
    status: 410,
    message:
      'The operator of this service took the form down. It accepts no responses, and its responses can no longer be read.',
    payment: 'none',
    retry: 'stop',
  },
  form_settlement_unknown: {
    status: 503,
    message:
      'The payment for the form was sent, but its outcome is not known yet. Send the identical request again; do not pay again.',
    payment: 'unknown',
    retry: 'same_request',
  },
  form_effect_pending: {
    status: 503,
    message:
      'The form is paid but not open yet. Send the identical request again to finish it; it costs nothing.',
    payment: 'kept',
    retry: 'same_request',
  },
});
