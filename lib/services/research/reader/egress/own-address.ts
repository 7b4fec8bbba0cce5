import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** Whether an address belongs to this machine, whose services may trust local connections. */
export function isOwnAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const wanted = ipaddr.parse(address).toNormalizedString();
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .some((own) => ipaddr.parse(own.address).toNormalizedString() === wanted);
}
