import { paidCount } from '../../paid-count.mjs';

export const POST = paidCount(/\p{L}/gu, 'Count letters.');
