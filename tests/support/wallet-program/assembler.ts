/** Machine code for Solana's virtual machine (sBPF, version 0), and its calls of functions of the runtime. */
export interface MachineCode {
  readonly bytes: Buffer;
  /** The offset of each call's instruction in bytes, and the name of the function. */
  readonly calls: readonly { readonly offset: number; readonly name: string }[];
}

const to = 'r(?<to>\\d+)';
const from = 'r(?<from>\\d+)';
const value = '(?<value>-?\\w+)';

/** The instructions that the wallet program uses: the form of their operands, and their operation codes. */
const instructions: readonly (readonly [operands: string, codes: Record<string, number>])[] = [
  [`${to}, ${from}`, { add64: 0x0f, mov64: 0xbf }],
  [`${to}, ${value}`, { add64: 0x07, sub64: 0x17, and64: 0x57, lsh64: 0x67, rsh64: 0x77, mov64: 0xb7 }],
  [`${to}, \\[${from}\\+(?<offset>\\w+)\\]`, { ldxb: 0x71, ldxdw: 0x79 }],
  [`\\[${to}\\+(?<offset>\\w+)\\], ${from}`, { stxb: 0x73, stxdw: 0x7b }],
  [`\\[${to}\\+(?<offset>\\w+)\\], ${value}`, { stb: 0x72, stw: 0x62, stdw: 0x7a }],
  [`${to}, ${value}, (?<label>\\w+)`, { jeq: 0x15, jgt: 0x25, jne: 0x55, jlt: 0xa5 }],
  ['(?<label>\\w+)', { ja: 0x05 }],
  ['(?<name>\\w+)', { call: 0x85 }],
  ['', { exit: 0x95 }],
];
const instructionBytes = 8;

/**
 * Assembles a listing in the usual syntax of Solana programs. `;` starts a comment, `name:` is a label, and `.equ NAME, number`
 * names a number.
 */
export function assemble(listing: string): MachineCode {
  const numbers = new Map<string, number>();
  const statements: string[] = [];
  for (const line of listing.split('\n').map((line) => line.replace(/;.*/, '').trim())) {
    const [, name, number] = /^(?:\.equ )?(\w+)(?:, (-?\d+)|:)$/.exec(line) ?? [];
    if (name !== undefined) numbers.set(name, number === undefined ? statements.length : Number(number));
    else if (line !== '') statements.push(line);
  }
  const calls = statements.flatMap((statement, index) =>
    statement.startsWith('call ') ? [{ offset: index * instructionBytes, name: statement.slice(5) }] : [],
  );
  return {
    bytes: Buffer.concat(statements.map((statement, index) => encode(statement, index, numbers))),
    calls,
  };
}

function encode(statement: string, index: number, numbers: ReadonlyMap<string, number>): Buffer {
  const [, operation = '', operands = ''] = /^(\w+) ?(.*)$/.exec(statement) ?? [];
  for (const [form, codes] of instructions) {
    const code = codes[operation];
    const found = new RegExp(`^${form}$`).exec(operands);
    if (code === undefined || !found) continue;
    const { to, from, offset, value, label, name } = found.groups ?? {};
    const numberOf = (text: string | undefined): number => numbers.get(text ?? '') ?? Number(text ?? 0);
    const bytes = Buffer.alloc(instructionBytes);
    bytes.writeUInt8(code, 0);
    // The loader replaces the destination of a call. Register 1 marks it as unresolved.
    bytes.writeUInt8(numberOf(name === undefined ? from : '1') * 16 + numberOf(to), 1);
    // Jumps count from the next instruction.
    bytes.writeInt16LE(label === undefined ? numberOf(offset) : numberOf(label) - index - 1, 2);
    bytes.writeInt32LE(name === undefined ? numberOf(value) : -1, 4);
    return bytes;
  }
  throw new Error(`Unknown instruction: ${statement}`);
}
