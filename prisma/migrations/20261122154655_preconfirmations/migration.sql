-- AlterTable
ALTER TABLE "settlement_transaction" ADD COLUMN     "preconfirmed_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "preconfirmation_switch" (
    "network" TEXT NOT NULL,
    "version" BIGINT NOT NULL DEFAULT 0,
    "stopped_at" TIMESTAMPTZ(3),
    "lost_transaction" TEXT,
    "lost_payments" INTEGER NOT NULL DEFAULT 0,
    "lost_atomic" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "preconfirmation_switch_pkey" PRIMARY KEY ("network")
);

-- By hand from here on: what schema.prisma cannot say.

-- How a settlement transaction may move: the table in lib/ledger/states.ts. A test compares the two.
CREATE TABLE "legal_settlement_move" (
  "from_state" text NOT NULL,
  "to_state" text NOT NULL,
  PRIMARY KEY ("from_state", "to_state")
);

INSERT INTO "legal_settlement_move" ("from_state", "to_state") VALUES
  ('prepared', 'preconfirmed'),
  ('prepared', 'confirmed'),
  ('prepared', 'replaced'),
  ('preconfirmed', 'prepared'),
  ('preconfirmed', 'confirmed'),
  ('preconfirmed', 'replaced'),
  ('confirmed', 'prepared'),
  ('confirmed', 'vanished'),
  ('replaced', 'confirmed'),
  ('vanished', 'confirmed');

CREATE FUNCTION "refuse_illegal_settlement_move"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM "legal_settlement_move" WHERE "from_state" = OLD."state" AND "to_state" = NEW."state"
  ) THEN
    RAISE EXCEPTION 'settlement transaction % may not move from % to %', OLD."id", OLD."state", NEW."state"
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END;
$$;

-- Ours begins as prepared, one of a third party as confirmed.
CREATE FUNCTION "refuse_illegal_settlement_beginning"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'settlement transaction % may not begin as %', NEW."id", NEW."state" USING ERRCODE = 'check_violation';
END;
$$;

CREATE TRIGGER "settlement_transaction_legal_move" BEFORE UPDATE OF "state" ON "settlement_transaction"
  FOR EACH ROW WHEN (OLD."state" IS DISTINCT FROM NEW."state") EXECUTE FUNCTION "refuse_illegal_settlement_move"();
CREATE TRIGGER "settlement_transaction_legal_beginning" BEFORE INSERT ON "settlement_transaction"
  FOR EACH ROW WHEN (NEW."state" NOT IN ('prepared', 'confirmed')) EXECUTE FUNCTION "refuse_illegal_settlement_beginning"();

-- A block included another transaction with the nonce of a pre-confirmed one. Both carry the same payments, so its calls
-- are paid by the other one.
CREATE FUNCTION "follow_replacement"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "paid_call" SET "settlement_id" = included."id", "transaction_hash" = included."hash"
  FROM "settlement_transaction" included
  WHERE "settlement_id" = NEW."id" AND included."network" = NEW."network" AND included."signer" = NEW."signer"
    AND included."nonce" = NEW."nonce" AND included."state" = 'confirmed';
  RETURN NULL;
END;
$$;

CREATE TRIGGER "settlement_transaction_replaced" AFTER UPDATE OF "state" ON "settlement_transaction"
  FOR EACH ROW WHEN (OLD."state" = 'preconfirmed' AND NEW."state" = 'replaced') EXECUTE FUNCTION "follow_replacement"();

-- Both kinds of transactions that are followed until they are in a block.
DROP INDEX "settlement_transaction_open_idx";
CREATE INDEX "settlement_transaction_open_idx" ON "settlement_transaction"("network", "created_at")
  WHERE "state" IN ('prepared', 'preconfirmed');

-- The calls that have lost a pre-confirmed payment are few.
CREATE INDEX "paid_call_move_lost_idx" ON "paid_call_move"("at") WHERE "note" = 'preconfirmation_lost';
