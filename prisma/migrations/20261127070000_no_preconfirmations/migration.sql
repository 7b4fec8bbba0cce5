-- Every payment waits for its block. What was answered earlier is followed like every other open transaction.
UPDATE "settlement_transaction" SET "state" = 'prepared' WHERE "state" = 'preconfirmed';
DELETE FROM "legal_settlement_move" WHERE 'preconfirmed' IN ("from_state", "to_state");

DROP TRIGGER "settlement_transaction_replaced" ON "settlement_transaction";
CREATE TRIGGER "settlement_transaction_replaced" AFTER UPDATE OF "state" ON "settlement_transaction"
  FOR EACH ROW WHEN (OLD."state" = 'prepared' AND NEW."state" = 'replaced')
  EXECUTE FUNCTION "follow_replacement"();

DROP INDEX "settlement_transaction_open_idx";
CREATE INDEX "settlement_transaction_open_idx" ON "settlement_transaction"("network", "created_at")
  WHERE "state" = 'prepared';

DROP INDEX "paid_call_move_lost_idx";
ALTER TABLE "settlement_transaction" DROP COLUMN "preconfirmed_at";
DROP TABLE "preconfirmation_switch";
