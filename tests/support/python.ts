import { execFileSync } from 'node:child_process';

/** The Python of this machine, 3.9 or later; null if it has none. */
export function findPython(): string | null {
  for (const name of ['python3', 'python']) {
    try {
      const isEnough = 'import sys; print(sys.version_info >= (3, 9))';
      if (execFileSync(name, ['-c', isEnough], { stdio: 'pipe' }).toString().trim() === 'True') return name;
    } catch {
      // Try the next name.
    }
  }
  return null;
}

/** Stands in for the wallet package, which is not on this machine: it signs with viem. */
export const ethAccount = `import json, os, subprocess
SIGNER = """import { privateKeyToAccount } from 'viem/accounts';
const { types: { EIP712Domain, ...types }, ...data } = JSON.parse(await new Response(process.stdin).text());
const account = privateKeyToAccount(process.env.PRIVATE_KEY);
process.stdout.write(await account.signTypedData({ ...data, types }));"""
class Account:
    @staticmethod
    def from_key(key):
        return Account()
    address = os.environ["ADDRESS"]
    def sign_typed_data(self, full_message):
        command = [os.environ["NODE"], "--input-type=module", "-e", SIGNER]
        sent = json.dumps(full_message).encode()
        signed = subprocess.run(command, input=sent, stdout=subprocess.PIPE, check=True).stdout.decode()
        return type("Signed", (), {"signature": bytes.fromhex(signed[2:])})
`;
