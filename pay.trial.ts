import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactEvmScheme } from '@x402/evm';
import { ExactSvmScheme } from '@x402/svm';
import { privateKeyToAccount } from 'viem/accounts';
import { createKeyPairSignerFromBytes, getBase58Encoder } from '@solana/kit';
const local = JSON.parse(readFileSync('/tmp/trial/local.json','utf8'));
const bytes = Buffer.from('hello '+Math.random());
const sha = createHash('sha256').update(bytes).digest();
const body = JSON.stringify({mime:'text/plain', size: bytes.length, sha256: sha.toString('hex'), sha256Base64: sha.toString('base64'), filename:'Grüße.txt'});
const only = process.argv[2];
for (const network of local.networks) {
  if (only && network.name !== only) continue;
  const client = new x402Client((_v, accepts) => accepts.find(a => a.network === network.caip2)!);
  const evm = privateKeyToAccount(local.payers.evm[0].privateKey);
  client.register('eip155:*', new ExactEvmScheme(evm));
  const signer = await createKeyPairSignerFromBytes(getBase58Encoder().encode(local.payers.solana[0].secretKey));
  client.register('solana:*', new ExactSvmScheme(signer, { rpcUrl: local.networks.find((n:any)=>n.name==='solana-mainnet').rpcUrl }));
  const pay = wrapFetchWithPayment(fetch, client);
  for (let i=0;i<3;i++){
  const t = performance.now();
  const r = await pay(local.apiUrl + '/v1/uploads', { method: 'POST', headers: {'content-type':'application/json'}, body });
  const text = await r.text();
  console.log(network.name, r.status, Math.round(performance.now()-t)+'ms', r.headers.get('paid-call-id'), text.slice(0, i?60:300));
  if (r.status!==200) { console.log(r.headers); break; }
  const slot = JSON.parse(text);
  const put = await fetch(slot.uploadUrl, {method: 'PUT', headers: slot.uploadHeaders, body: bytes});
  const got = await fetch(slot.publicUrl);
  console.log('put', put.status, 'get', got.status, Buffer.from(await got.arrayBuffer()).equals(bytes));
  if (i===0) {
    const ren = await pay(local.apiUrl+`/v1/uploads/${slot.id}/renew`, {method:'POST'}); console.log('renew', ren.status, await ren.text());
    const del = await pay(local.apiUrl+`/v1/uploads/${slot.id}`, {method:'DELETE'}); console.log('del', del.status, await del.text(), (await fetch(slot.publicUrl)).status);
    const st = await fetch(local.apiUrl+'/v1/paid-calls/'+r.headers.get('paid-call-id')); console.log(await st.text());
  }
  }
}
