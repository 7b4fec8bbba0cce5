import { describeErrors } from './description';

/** Errors of PDFs. */
export const renderingErrors = describeErrors({
  output_too_large: {
    status: 422,
    message:
      'The PDF would have more than 20 pages or 10 MiB. Nothing was charged. Make the document shorter.',
    cause: 'The document is long, or holds large images.',
    payment: 'none',
    retry: 'fix_input',
  },
  renderer_unconfigured: {
    status: 503,
    message: 'PDFs are not available here. Nothing was charged.',
    cause: 'The operator has no browser for rendering.',
    payment: 'none',
    retry: 'later',
  },
  renderer_unavailable: {
    status: 503,
    message:
      'The PDF renderer is not working at the moment. Nothing was charged. Send the identical request again after the seconds in Retry-After.',
    cause: 'The browser did not start. The service tries again automatically, after a second at first.',
    payment: 'none',
    retry: 'later',
  },
  renderer_busy: {
    status: 503,
    message:
      'Too many documents are waiting to be rendered. Nothing was charged. Send the identical request again later.',
    cause: 'More documents came at the same time than can wait.',
    payment: 'none',
    retry: 'later',
  },
  render_failed: {
    status: 503,
    message:
      'The document took too much time or memory, or the renderer failed. Nothing was charged. You can send the identical request again.',
    cause: 'Very large tables, images or style sheets, or a crash of the browser.',
    payment: 'none',
    retry: 'same_request',
  },
  render_settlement_unknown: {
    status: 503,
    message:
      'The PDF is ready, but the outcome of its payment is not known yet. Send the identical request again; do not pay again.',
    cause:
      'The transaction was sent, but the chain has not confirmed or rejected it yet: the network is slow, or its node does not answer.',
    payment: 'unknown',
    retry: 'same_request',
  },
});
