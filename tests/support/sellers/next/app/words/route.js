import { paidCount } from '../../paid-count.mjs';

export const POST = paidCount(/\S+/g, 'Count words.');
