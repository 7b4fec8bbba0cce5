-- By hand: what schema.prisma cannot say.

-- Recovery can find a call paid by a transaction that its sender still follows. If a reorganization removes its block, and another
-- transaction with its nonce is included, that one pays for the call: the two carry the same payments.
DROP TRIGGER "settlement_transaction_replaced" ON "settlement_transaction";
CREATE TRIGGER "settlement_transaction_replaced" AFTER UPDATE OF "state" ON "settlement_transaction"
  FOR EACH ROW WHEN (OLD."state" IN ('prepared', 'preconfirmed') AND NEW."state" = 'replaced')
  EXECUTE FUNCTION "follow_replacement"();
