import { paywall } from '../../paywall.js';

export const dynamic = 'force-dynamic';
export const GET = paywall.fetch;
export const POST = paywall.fetch;
