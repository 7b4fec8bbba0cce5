import { expect, test } from '@playwright/test';
import { payingFetch } from '../support/buyer';
import { aFile } from '../support/files';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { networkNames, stack } from '../support/stack';

for (const name of networkNames) {
  test(`the official client buys an upload on ${name} and the file comes back byte for byte`, async () => {
    const wallet = name === 'solana-mainnet' ? await newSolanaPayer() : await newEvmPayer();
    const { bytes, body } = aFile(1_000);
    const bought = await payingFetch(wallet, name)(`${stack().apiUrl}/v1/uploads`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    expect(bought.status).toBe(200);
    const slot = await bought.json();
    const put = await fetch(slot.uploadUrl, { method: 'PUT', headers: slot.uploadHeaders, body: bytes });
    expect(put.status).toBe(200);
    const file = await fetch(slot.publicUrl);
    expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
  });
}
