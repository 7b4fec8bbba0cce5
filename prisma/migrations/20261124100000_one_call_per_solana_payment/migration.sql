-- By hand: what schema.prisma cannot say.

-- On Solana the hash of its message identifies a payment, whoever is taken for its payer: one transfer pays for one call.
CREATE UNIQUE INDEX "paid_call_solana_payment_once" ON "paid_call"("network", "asset", "authorization")
  WHERE "network" IN ('solana-mainnet', 'solana-devnet');
