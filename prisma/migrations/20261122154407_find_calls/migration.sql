-- By hand from here on: what schema.prisma cannot say.

-- Operators look for calls. An entry in an index of paid_call is written again at every move of the call, so the order in time
-- comes from the first moves, which never change: one entry for each call.
CREATE INDEX "paid_call_move_first_idx" ON "paid_call_move"("at", "paid_call_id") WHERE "from_state" IS NULL;
-- Calls that go well are never in it.
CREATE INDEX "paid_call_rare_idx" ON "paid_call"("state", "created_at", "id")
  WHERE "state" IN ('kept', 'refused', 'unknown', 'needs_attention', 'refunded');
-- Transactions of third parties while they are not recorded as settlements.
CREATE INDEX "paid_call_transaction_idx" ON "paid_call"("transaction_hash")
  WHERE "settlement_id" IS NULL AND "transaction_hash" IS NOT NULL;
