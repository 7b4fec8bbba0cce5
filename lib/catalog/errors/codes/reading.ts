import { describeErrors } from './description';

/** Errors of pages that our own reader reads. */
export const readingErrors = describeErrors({
  page_not_public: {
    status: 422,
    message:
      'The page, or a page it redirects to, is not on the public internet at port 80 or 443. Nothing was charged.',
    cause:
      'The URL, or one it redirects to, leads to a private network, another port, or a name that does not resolve.',
    payment: 'none',
    retry: 'fix_input',
  },
  page_unsupported: {
    status: 422,
    message:
      'There is neither HTML nor text nor a PDF at this URL, or a PDF and rawHtml is all that was wanted. Nothing was charged.',
    cause: 'The URL leads to an image, an archive or another file.',
    payment: 'none',
    retry: 'fix_input',
  },
  page_without_text: {
    status: 422,
    message: 'The page shows no text. Nothing was charged.',
    cause: 'The page consists of images, or its scripts show nothing to programs or without a login.',
    payment: 'none',
    retry: 'fix_input',
  },
  pdf_without_text: {
    status: 422,
    message: 'The PDF has no text, only images: it is probably scanned. Nothing was charged.',
    cause: 'The reader reads the text of a PDF. It does not recognize text in images.',
    payment: 'none',
    retry: 'fix_input',
  },
  pdf_unreadable: {
    status: 422,
    message: 'The PDF opens only with a password, or it is damaged or incomplete. Nothing was charged.',
    cause: 'The file is encrypted, or it does not follow the PDF format.',
    payment: 'none',
    retry: 'fix_input',
  },
  page_too_large: {
    status: 422,
    message: 'The page is too large, or redirects too many times. Nothing was charged.',
    cause: 'The page has more bytes than the reader takes, or redirects in a circle.',
    payment: 'none',
    retry: 'fix_input',
  },
  page_unreachable: {
    status: 502,
    message:
      'The page did not respond in time, or its response cannot be read. Nothing was charged. You can send the identical request again.',
    cause: 'The site is down or slow, refuses programs, or its certificate is not valid.',
    payment: 'none',
    retry: 'same_request',
  },
  page_unreadable: {
    status: 502,
    message:
      'The page took too much time or memory, or the reader failed. Nothing was charged. You can send the identical request again.',
    cause: 'The page is very deeply nested, or very large once it is unpacked.',
    payment: 'none',
    retry: 'same_request',
  },
  reader_busy: {
    status: 503,
    message:
      'Too many pages are waiting to be read. Nothing was charged. Send the identical request again later.',
    cause: 'More pages came at the same time than can wait.',
    payment: 'none',
    retry: 'later',
  },
});
