// A seller with the official middleware for Express, put together as in the README of @x402/express.
import { HTTPFacilitatorClient } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/express';
import express from 'express';

const { env } = process;

const facilitatorClient = new HTTPFacilitatorClient({ url: env.FACILITATOR_URL });
const resourceServer = new x402ResourceServer(facilitatorClient).register(
  'eip155:8453',
  new ExactEvmScheme(),
);

const route = (description) => ({
  accepts: { scheme: 'exact', price: '$0.002', network: 'eip155:8453', payTo: env.PAY_TO },
  description,
});

const app = express();
app.use(
  paymentMiddleware(
    { 'POST /words': route('Count words.'), 'POST /letters': route('Count letters.') },
    resourceServer,
  ),
);
app.use(express.json());

/** Answers a count of what matches, or 400. */
const counting = (pattern) => (request, response) => {
  const text = request.body?.text;
  if (typeof text !== 'string') response.status(400).json({ error: 'text must be a string' });
  else response.json({ count: text.match(pattern)?.length ?? 0 });
};
app.post('/words', counting(/\S+/g));
app.post('/letters', counting(/\p{L}/gu));

app.listen(Number(env.PORT), '127.0.0.1');
