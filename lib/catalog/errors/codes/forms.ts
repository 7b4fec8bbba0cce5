import { describeErrors } from './description';

/** Errors of forms and their responses. */
export const formErrors = describeErrors({
  form_invalid: {
    status: 400,
    message: 'The form is not valid. Nothing was charged.',
    cause:
      'A question lacks a field, breaks a limit or uses an ID twice. `issues` names each field with its rule.',
    payment: 'none',
    retry: 'fix_input',
  },
  form_forbidden_content: {
    status: 400,
    message: 'Forms must not ask for passwords, codes, keys or bank details. Nothing was created or charged.',
    cause: 'A title, question or choice asks for a secret, in any of the languages. `issues` names where.',
    payment: 'none',
    retry: 'fix_input',
  },
  read_token_required: {
    status: 401,
    message:
      'Reading responses needs the read token of the form. Send it as Authorization: Bearer <readToken>.',
    cause: 'The request has no `Authorization` header.',
    payment: 'none',
    retry: 'fix_input',
  },
  read_token_wrong: {
    status: 403,
    message: 'This is not the read token of this form.',
    cause:
      'The token belongs to another form, or has a typing error. It was in the response that created the form.',
    payment: 'none',
    retry: 'stop',
  },
  form_not_found: {
    status: 404,
    message: 'There is no form with this ID.',
    cause: 'The ID has a typing error, or belongs to another service.',
    payment: 'none',
    retry: 'stop',
  },
  response_not_found: {
    status: 404,
    message: 'This form has no response with this ID.',
    cause: 'The ID has a typing error, or belongs to a response to another form.',
    payment: 'none',
    retry: 'stop',
  },
  form_gone: {
    status: 410,
    message: 'The responses to this form were deleted after its readableUntil.',
    cause: 'Responses are kept for 7 days after a form closes.',
    payment: 'none',
    retry: 'stop',
  },
  form_taken_down: {
    status: 410,
    message:
      'The operator of this service took the form down. It accepts no responses, and its responses can no longer be read.',
    cause: 'The form broke the terms of the operator, or was reported.',
    payment: 'none',
    retry: 'stop',
  },
  form_settlement_unknown: {
    status: 503,
    message:
      'The payment for the form was sent, but its outcome is not known yet. Send the identical request again; do not pay again.',
    cause:
      'The transaction was sent, but the chain has not confirmed or rejected it yet: the network is slow, or its node does not answer.',
    payment: 'unknown',
    retry: 'same_request',
  },
  form_effect_pending: {
    status: 503,
    message:
      'The form is paid but not open yet. Send the identical request again to finish it; it costs nothing.',
    cause:
      'The payment was taken, and the service was interrupted before the form was open. Delivery resumes automatically.',
    payment: 'kept',
    retry: 'same_request',
  },
});
