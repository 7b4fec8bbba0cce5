import { describeErrors } from './description';

/** Of pages that we read ourselves. */
export const readingErrors = describeErrors({
  page_not_public: {
    status: 422,
    message:
      'The page, or an address that it leads on to, is not on the public internet at port 80 or 443. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  page_unsupported: {
    status: 422,
    message: 'There is neither HTML nor text at this address. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  page_too_large: {
    status: 422,
    message: 'The page loads more than a page may, or leads on without end. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  page_unreachable: {
    status: 502,
    message:
      'The page did not answer in time, or not in a way that can be read. Nothing was charged; the identical request may be sent again.',
    payment: 'none',
    retry: 'same_request',
  },
  page_unreadable: {
    status: 502,
    message:
      'The page took more time or memory than a page may, or the reader failed. Nothing was charged; the identical request may be sent again.',
    payment: 'none',
    retry: 'same_request',
  },
  reader_busy: {
    status: 503,
    message:
      'More pages are waiting to be read than can. Nothing was charged; the identical request may be sent again.',
    payment: 'none',
    retry: 'later',
  },
});
