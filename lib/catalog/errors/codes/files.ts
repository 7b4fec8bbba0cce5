import { describeErrors } from './description';

/** Errors of uploads, the files sent to them and their links. */
export const fileErrors = describeErrors({
  not_owner: {
    status: 403,
    message:
      'The paying wallet does not own this upload. Nothing was charged. Use the wallet or account that paid for the upload.',
    cause: 'Another wallet, or another account, paid for the upload.',
    payment: 'none',
    retry: 'stop',
  },
  upload_not_found: {
    status: 404,
    message: 'There is no upload with this ID, or it has expired or was deleted. Nothing was charged.',
    cause: 'The ID has a typing error, or the upload has expired.',
    payment: 'none',
    retry: 'stop',
  },
  upload_not_ready: {
    status: 409,
    message:
      'The file of this upload has not arrived yet, so there is nothing to renew. Nothing was charged. Send the file to its uploadUrl first.',
    cause: 'The bytes were not sent to the upload URL of the slot.',
    payment: 'none',
    retry: 'later',
  },
  upload_taken_down: {
    status: 410,
    message: 'The operator of this service took this upload down. Nothing was charged.',
    cause: 'The file broke the terms of the operator, or was reported.',
    payment: 'none',
    retry: 'stop',
  },
  renewal_limit: {
    status: 409,
    message:
      'The upload cannot be renewed further: counting renewals in progress, it lasts 30 days from the original upload. Nothing was charged.',
    cause: 'Each renewal adds 7 days, up to 30 days after the upload, and no time is left to add.',
    payment: 'none',
    retry: 'stop',
  },
  upload_busy: {
    status: 409,
    message:
      'Another call is renewing or deleting this upload. Nothing was charged. Send the request again in a moment.',
    cause: 'Two calls for one upload came at the same time.',
    payment: 'none',
    retry: 'later',
  },
  not_renewable: {
    status: 409,
    message: 'PDFs made by this service cannot be renewed. Nothing was charged.',
    cause: 'The upload is a PDF that this service rendered. Render it again, or upload a copy.',
    payment: 'none',
    retry: 'stop',
  },
  file_too_large: {
    status: 413,
    message: 'The file is larger than 10 MiB. Nothing was charged.',
    cause: '`sizeBytes` is above the limit.',
    payment: 'none',
    retry: 'fix_input',
  },
  upload_url_invalid: {
    status: 403,
    message: 'This upload URL is not valid. Use the uploadUrl of the slot unchanged.',
    cause: 'The URL was changed, cut off or made up.',
    payment: 'none',
    retry: 'stop',
  },
  upload_url_expired: {
    status: 410,
    message: 'This upload URL has expired, or its upload was deleted. Nothing was stored.',
    cause: 'More than an hour has passed since the slot was reserved.',
    payment: 'none',
    retry: 'stop',
  },
  upload_mismatch: {
    status: 400,
    message:
      'The file or its headers do not match the reserved upload. Nothing was stored. Send the reserved file with its uploadHeaders.',
    cause:
      'The file has another size, another SHA-256 or another type than the slot was reserved for. `issues` says which.',
    payment: 'none',
    retry: 'fix_input',
  },
  upload_complete: {
    status: 409,
    message: 'This upload already has its file, and the new file is different. Nothing was changed.',
    cause: 'A second file was sent to the same URL. The same file again would be accepted.',
    payment: 'none',
    retry: 'stop',
  },
  length_required: {
    status: 411,
    message: 'The Content-Length header is missing. Nothing was stored. Send it with the size of the file.',
    cause:
      'The client sends the file in chunks. Most clients send a length if they are given a buffer or a file instead of a stream.',
    payment: 'none',
    retry: 'fix_input',
  },
  link_not_found: {
    status: 404,
    message: 'There is no file at this link.',
    cause: 'The link has a typing error or was cut off.',
    payment: 'none',
    retry: 'stop',
  },
  link_not_ready: {
    status: 404,
    message: 'The file for this link has not been uploaded yet.',
    cause: 'The slot is reserved, and its file has not been sent to the `uploadUrl`.',
    payment: 'none',
    retry: 'later',
  },
  link_gone: {
    status: 410,
    message: 'The file at this link has expired or was deleted.',
    cause: 'The `expiresAt` of the upload has passed, or its owner deleted it.',
    payment: 'none',
    retry: 'stop',
  },
  link_taken_down: {
    status: 410,
    message: 'The operator of this service took the file at this link down.',
    cause: 'The file broke the terms of the operator, or was reported.',
    payment: 'none',
    retry: 'stop',
  },
  download_limit: {
    status: 429,
    message:
      'The file at this link has been downloaded so much today that its limit is reached. Try again after midnight UTC.',
    cause: 'The link is used more than the operator allows in a day.',
    payment: 'none',
    retry: 'later',
  },
  range_not_satisfiable: {
    status: 416,
    message: 'The requested range is outside the file.',
    cause: 'The range begins after the last byte.',
    payment: 'none',
    retry: 'fix_input',
  },
});
