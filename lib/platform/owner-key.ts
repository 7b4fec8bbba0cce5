/**
 * The key under which anything is counted for the owner of an address.
 * @param onlyOn the only network on which the address identifies its owner; null when it does on every network
 */
export function ownerKey(address: string, onlyOn: string | null): string {
  return onlyOn === null ? address : `${address}@${onlyOn}`;
}
