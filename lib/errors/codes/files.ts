import { describeErrors } from './description';

/** Of uploads, the files sent to them and their links. */
export const fileErrors = describeErrors({
  not_owner: {
    status: 403,
    message: 'The paying wallet does not own this upload. Nothing was charged.',
    payment: 'none',
    retry: 'stop',
  },
  upload_not_found: {
    status: 404,
    message: 'There is no such upload, or it has expired or was deleted. Nothing was charged.',
    payment: 'none',
    retry: 'stop',
  },
  renewal_limit: {
    status: 409,
    message:
      'The upload already lives as long as it can, or will once the renewals under way are done: 30 days from the original upload. Nothing was charged.',
    payment: 'none',
    retry: 'stop',
  },
  upload_busy: {
    status: 409,
    message:
      'Another call is renewing or deleting this upload right now. Nothing was charged; send the request again in a moment.',
    payment: 'none',
    retry: 'later',
  },
  not_renewable: {
    status: 409,
    message: 'This file was made by us and cannot be renewed. Nothing was charged.',
    payment: 'none',
    retry: 'stop',
  },
  file_too_large: {
    status: 413,
    message: 'The file is larger than 10485760 bytes. Nothing was charged.',
    payment: 'none',
    retry: 'fix_input',
  },
  upload_url_invalid: {
    status: 403,
    message: 'This is not an upload address that we issued.',
    payment: 'none',
    retry: 'stop',
  },
  upload_url_expired: {
    status: 410,
    message: 'This upload address has expired or its upload was deleted. Nothing was stored.',
    payment: 'none',
    retry: 'stop',
  },
  upload_mismatch: {
    status: 400,
    message: 'What was sent is not the file that was announced. Nothing was stored; send it again.',
    payment: 'none',
    retry: 'fix_input',
  },
  upload_complete: {
    status: 409,
    message: 'The file of this upload is already stored, and this is another one. Nothing was changed.',
    payment: 'none',
    retry: 'stop',
  },
  length_required: {
    status: 411,
    message: 'The Content-Length header is required. Nothing was stored.',
    payment: 'none',
    retry: 'fix_input',
  },
  link_not_found: {
    status: 404,
    message: 'There is no file at this link.',
    payment: 'none',
    retry: 'stop',
  },
  link_not_ready: {
    status: 404,
    message: 'The file of this link has not been uploaded yet.',
    payment: 'none',
    retry: 'later',
  },
  link_gone: {
    status: 410,
    message: 'The file of this link has expired or was deleted.',
    payment: 'none',
    retry: 'stop',
  },
  range_not_satisfiable: {
    status: 416,
    message: 'The requested range lies outside the file.',
    payment: 'none',
    retry: 'fix_input',
  },
});
