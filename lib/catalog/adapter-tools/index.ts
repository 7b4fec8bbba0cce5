import { balance, setupLink, topupLink } from './account';
import { recent, remove, renew, upload } from './files';
import type { AdapterTool } from './tool';

export type { AdapterTool } from './tool';
export { balance, recent, remove, renew, setupLink, topupLink, upload };

/** In the order in which SPEC 4.9 has them. */
export const adapterTools: readonly AdapterTool[] = [
  upload,
  renew,
  remove,
  recent,
  balance,
  topupLink,
  setupLink,
];
