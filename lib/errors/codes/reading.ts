import { describeErrors } from './description';

/** Errors of pages that our own reader reads. */
export const readingErrors = describeErrors({
  page_not_public: {
    status: 422,
    message:
      'The page, or a page it redirects to, is not on the public internet at port 80 or 443. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  page_unsupported: {
    status: 422,
    message: 'There is neither HTML nor text at this URL. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  page_too_large: {
    status: 422,
    message: 'The page is too large, or redirects too many times. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  page_unreachable: {
    status: 502,
    message:
      'The page did not respond in time, or its response cannot be read. Nothing was charged. You can send the identical request again.',
    payment: 'none',
    retry: 'same_request',
  },
  page_unreadable: {
    status: 502,
    message:
      'The page took too much time or memory, or the reader failed. Nothing was charged. You can send the identical request again.',
    payment: 'none',
    retry: 'same_request',
  },
  reader_busy: {
    status: 503,
    message:
      'Too many pages are waiting to be read. Nothing was charged. Send the identical request again later.',
    payment: 'none',
    retry: 'later',
  },
});
