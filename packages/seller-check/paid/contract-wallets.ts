import { concatHex, encodeAbiParameters, type Hex } from 'viem';

/** Runtime code of an ERC-1271 wallet that takes its owner's signatures of a hash. */
export function ownedBy(owner: Hex): Hex {
  return concatHex([
    '0x600435600052', // memory[0] = hash
    '0x60a43560f81c602052', // memory[32] = v, the last byte of the signature
    '0x606435604052', // memory[64] = r
    '0x608435606052', // memory[96] = s
    '0x602060806080600060015afa50', // memory[128] = ecrecover(memory[0..128])
    '0x60805173',
    owner,
    '0x14604957', // jump to accept if that is the owner
    '0x60006000fd', // revert
    '0x5b631626ba7e60e01b60005260206000f3', // accept, at 73: return the magic value
  ]);
}

/** Runtime code of a wallet that takes no signature: it reverts. */
export const refusing: Hex = '0x60006000fd';

/** Runtime code of a wallet whose check of a signature never ends. */
export const endless: Hex = '0x5b600056';

/** A signature of a wallet that is not deployed yet, as ERC-6492 wraps it. */
export function ofUndeployed(factory: Hex, signature: Hex): Hex {
  return concatHex([
    encodeAbiParameters(
      [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
      [factory, '0x00', signature],
    ),
    `0x${'6492'.repeat(16)}`,
  ]);
}
