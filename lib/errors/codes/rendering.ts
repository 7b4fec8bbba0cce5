import { describeErrors } from './description';

/** Of PDFs. */
export const renderingErrors = describeErrors({
  output_too_large: {
    status: 422,
    message: 'The PDF would have more than 20 pages or 10485760 bytes. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  renderer_unconfigured: {
    status: 503,
    message: 'This service has no renderer at the moment. Nothing was charged.',
    payment: 'none',
    retry: 'later',
  },
  renderer_busy: {
    status: 503,
    message:
      'More documents are waiting to be rendered than can. Nothing was charged; the identical request may be sent again.',
    payment: 'none',
    retry: 'later',
  },
  render_failed: {
    status: 503,
    message:
      'The document was not rendered: it took too much time or memory, or the renderer failed. Nothing was charged; the identical request may be sent again.',
    payment: 'none',
    retry: 'same_request',
  },
  render_settlement_unknown: {
    status: 503,
    message:
      'The PDF is ready, but the outcome of its payment is not known yet. Send the identical request again; do not pay again.',
    payment: 'unknown',
    retry: 'same_request',
  },
});
