import { operations } from '@/lib/catalog';

export default function FrontPage() {
  return (
    <main>
      <h1>Tuppence</h1>
      <p>
        Small HTTP services that AI agents buy by the call. No API key, no signup: an unpaid call answers 402
        with its price, a signed USDC authorization pays for it.
      </p>
      <ul>
        {operations.map((operation) => (
          <li key={operation.id}>
            <code>
              {operation.method} {operation.paths.x402}
            </code>{' '}
            {operation.price} USDC: {operation.summary}
          </li>
        ))}
      </ul>
      <p>
        <a href="/v1/tools/prices">Current prices</a>, <a href="/health">health</a>
      </p>
    </main>
  );
}
