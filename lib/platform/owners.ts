/** Who a job is for. */
interface Customer {
  readonly payer: string;
  /** The only network on which the address identifies the payer; null when it does on every network. */
  readonly onlyOn: string | null;
}

/** The client of a job. */
export interface Client extends Customer {
  /** Whether, as far as known, this payer has never been charged. */
  readonly isNewcomer: boolean;
  /** Reports the work of a job, in milliseconds of browser time; reports nothing for a revoked job. */
  readonly countWork: (amount: number) => void;
}

/** A payer whose call is charged, so the work counts against no budget. */
export function paying({ payer, onlyOn }: Customer): Client {
  return { payer, onlyOn, isNewcomer: false, countWork: () => undefined };
}

/** Wallets cost nothing, so all payers who have never been charged share one group. */
const newcomers = 'newcomers';

/** Whose turn a job takes. A payer who has been charged before is their own group. */
export function ownerOf({ payer: address, onlyOn, isNewcomer }: Omit<Client, 'countWork'>) {
  const payer = ownerKey(address, onlyOn);
  return { payer, group: isNewcomer ? newcomers : `payer:${payer}` };
}

/**
 * The key under which anything is counted for the owner of an address.
 * @param onlyOn the only network on which the address identifies its owner; null when it does on every network
 */
export function ownerKey(address: string, onlyOn: string | null): string {
  return onlyOn === null ? address : `${address}@${onlyOn}`;
}
