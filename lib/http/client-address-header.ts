/**
 * How routes are told where a request comes from. The listener sets it on every request, so that a caller's own is never
 * believed.
 */
export const clientAddressHeader = 'client-address';
