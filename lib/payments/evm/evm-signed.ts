import { getAddress } from 'viem';
import { z } from 'zod';

/** Bytes in hexadecimal. */
export const hex = (bytes: number) =>
  z.templateLiteral(['0x', z.string().regex(new RegExp(`^[0-9a-fA-F]{${bytes * 2}}$`))]);
/** Any letter case is accepted. The result is checksummed, because encoders reject a wrong checksum. */
const address = hex(20).transform((value) => getAddress(value));
const uint256Max = 2n ** 256n - 1n;
const uint256 = z
  .string()
  .refine((value) => /^(0|[1-9][0-9]{0,77})$/.test(value) && BigInt(value) <= uint256Max);

/** The longest signature that is sent to a chain, in bytes: passkeys have about 700, ten owners of a Safe 650. */
const signatureBytesMax = 2_048;
const signature = z.templateLiteral([
  '0x',
  z.string().regex(new RegExp(`^(?:[0-9a-fA-F]{2}){0,${signatureBytesMax}}$`)),
]);

/** A signed EIP-3009 TransferWithAuthorization. */
export const evmSignedSchema = z.object({
  family: z.literal('evm'),
  authorization: z.object({
    from: address,
    to: address,
    value: uint256,
    validAfter: uint256,
    validBefore: uint256,
    nonce: hex(32),
  }),
  /** From a key: 65 bytes, low s, v of 27 or 28. From a contract wallet: whatever its code accepts (EIP-1271). */
  signature,
  /**
   * Who can verify the signature. `key`: it is by the payer's own key, which we have checked. `wallet`: only the code at the
   * payer's address can verify it. `undeployed`: the same, but it came in a form for wallets that may have no code yet
   * (ERC-6492).
   */
  signer: z.enum(['key', 'wallet', 'undeployed']).default('key'),
  /** The call that uses an authorization which only its recipient may submit; omitted where the token itself is called. */
  call: z
    .object({ to: address, data: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]*$/)]) })
    .optional(),
});

export type EvmSigned = z.output<typeof evmSignedSchema>;
