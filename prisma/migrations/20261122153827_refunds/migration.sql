-- CreateEnum
CREATE TYPE "refund_state" AS ENUM ('requested', 'sent', 'confirmed', 'failed', 'cancelled');

-- CreateEnum
CREATE TYPE "refund_method" AS ENUM ('wallet', 'transfer', 'account');

-- CreateTable
CREATE TABLE "refund" (
    "id" TEXT NOT NULL,
    "paid_call_id" TEXT NOT NULL,
    "round" INTEGER NOT NULL,
    "method" "refund_method" NOT NULL,
    "state" "refund_state" NOT NULL,
    "network" TEXT NOT NULL,
    "asset" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "amount_atomic" BIGINT NOT NULL,
    "reason" TEXT NOT NULL,
    "note" TEXT,
    "since_height" BIGINT,
    "transaction_hash" TEXT,
    "transfer_index" INTEGER,
    "block_number" BIGINT,
    "block_hash" TEXT,
    "reorganizations" INTEGER NOT NULL DEFAULT 0,
    "check_at" TIMESTAMPTZ(3) NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "moved_at" TIMESTAMPTZ(3) NOT NULL,
    "move_note" TEXT,

    CONSTRAINT "refund_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "refund_move" (
    "id" BIGSERIAL NOT NULL,
    "refund_id" TEXT NOT NULL,
    "from_state" "refund_state",
    "to_state" "refund_state" NOT NULL,
    "transaction_hash" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "note" TEXT,

    CONSTRAINT "refund_move_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "refund_paid_call_id_round_key" ON "refund"("paid_call_id", "round");

-- CreateIndex
CREATE INDEX "refund_move_refund_id_idx" ON "refund_move"("refund_id");

-- AddForeignKey
ALTER TABLE "refund" ADD CONSTRAINT "refund_paid_call_id_fkey" FOREIGN KEY ("paid_call_id") REFERENCES "paid_call"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "refund_move" ADD CONSTRAINT "refund_move_refund_id_fkey" FOREIGN KEY ("refund_id") REFERENCES "refund"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand from here on: what schema.prisma cannot say.

-- One refund of a call at a time, and none after a confirmed one, whoever races.
CREATE UNIQUE INDEX "refund_one_per_call" ON "refund"("paid_call_id") WHERE "state" IN ('requested', 'sent', 'confirmed');
-- A transfer is one refund.
CREATE UNIQUE INDEX "refund_transfer_once" ON "refund"("network", "transaction_hash", "transfer_index")
  WHERE "state" IN ('sent', 'confirmed');
-- The few rows that the chain is asked about again and again, and those that wait for the operator.
CREATE INDEX "refund_to_check_idx" ON "refund"("check_at") WHERE "state" IN ('requested', 'sent');
CREATE INDEX "refund_not_confirmed_idx" ON "refund"("moved_at") WHERE "state" IN ('requested', 'sent', 'failed');

ALTER TABLE "refund" ADD CONSTRAINT "refund_amount_positive" CHECK ("amount_atomic" > 0);
ALTER TABLE "refund" ADD CONSTRAINT "refund_reason_known"
  CHECK ("reason" IN ('duplicate', 'not_delivered', 'requested_by_caller', 'other'));
ALTER TABLE "refund" ADD CONSTRAINT "refund_account_posted"
  CHECK (("method" = 'account') = ("network" = 'account') AND ("method" <> 'account' OR "transaction_hash" IS NULL));
-- What is sent names its transaction, and what is confirmed on a chain its block and its place there.
ALTER TABLE "refund" ADD CONSTRAINT "refund_transfer_named" CHECK (
  "method" = 'account'
  OR (("state" NOT IN ('sent', 'confirmed') OR "transaction_hash" IS NOT NULL)
    AND ("state" <> 'confirmed' OR ("transfer_index" IS NOT NULL AND "block_number" IS NOT NULL)))
);

-- How a refund may move: the table in lib/ledger/refund-states.ts, held by the database as well. A test compares the two.
CREATE TABLE "legal_refund_move" (
  "from_state" "refund_state" NOT NULL,
  "to_state" "refund_state" NOT NULL,
  PRIMARY KEY ("from_state", "to_state")
);
INSERT INTO "legal_refund_move" ("from_state", "to_state") VALUES
  ('requested', 'sent'),
  ('requested', 'confirmed'),
  ('requested', 'cancelled'),
  ('sent', 'confirmed'),
  ('sent', 'failed'),
  ('sent', 'cancelled'),
  ('failed', 'cancelled');

-- A call that the program is about to deliver is not refunded.
DELETE FROM "legal_move" WHERE "from_state" = 'settled' AND "to_state" = 'refunded';

-- A refund is of a final payment, whole, in the same asset, to its payer or into an account that is open. The call is locked,
-- so that it cannot move meanwhile.
CREATE FUNCTION "refuse_illegal_refund"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  call "paid_call";
BEGIN
  SELECT * INTO call FROM "paid_call" WHERE "id" = NEW."paid_call_id" FOR UPDATE;
  IF NEW."state" <> 'requested' THEN
    RAISE EXCEPTION 'a refund may not begin as %', NEW."state" USING ERRCODE = 'check_violation';
  ELSIF call."state" NOT IN ('needs_attention', 'kept', 'delivered') THEN
    RAISE EXCEPTION 'a call that is % cannot be refunded', call."state" USING ERRCODE = 'check_violation';
  ELSIF call."credited_account" IS NOT NULL THEN
    RAISE EXCEPTION 'a deposit that was credited cannot be refunded' USING ERRCODE = 'check_violation';
  ELSIF call."state" = 'delivered' AND NEW."reason" = 'not_delivered' THEN
    RAISE EXCEPTION 'a delivered call cannot be refunded as not delivered' USING ERRCODE = 'check_violation';
  ELSIF call."network" <> 'account' AND NOT EXISTS (
    SELECT FROM "settlement_transaction" WHERE "id" = call."settlement_id" AND "state" = 'confirmed' AND "final_at" IS NOT NULL
  ) THEN
    RAISE EXCEPTION 'a payment that is not final cannot be refunded' USING ERRCODE = 'check_violation';
  ELSIF (NEW."amount_atomic", NEW."asset") IS DISTINCT FROM (call."amount_atomic", call."asset") THEN
    RAISE EXCEPTION 'a refund is of the whole price in the same asset' USING ERRCODE = 'check_violation';
  ELSIF NEW."method" <> 'account' AND (NEW."network", NEW."recipient") IS DISTINCT FROM (call."network", call."payer") THEN
    RAISE EXCEPTION 'a refund goes to the payer of its call' USING ERRCODE = 'check_violation';
  ELSIF NEW."method" = 'account' AND call."network" = 'account' AND NEW."recipient" <> call."payer" THEN
    RAISE EXCEPTION 'a refund of an account goes back to it' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."method" = 'account' THEN
    PERFORM FROM "account" WHERE "id" = NEW."recipient" AND "revoked_at" IS NULL FOR SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'a refund goes into an account that is open' USING ERRCODE = 'check_violation';
    END IF;
  END IF;
  RETURN NEW;
END;
$$;

CREATE FUNCTION "refuse_illegal_refund_move"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW."id", NEW."paid_call_id", NEW."round", NEW."method", NEW."network", NEW."asset", NEW."recipient",
      NEW."amount_atomic", NEW."reason", NEW."requested_at")
    IS DISTINCT FROM (OLD."id", OLD."paid_call_id", OLD."round", OLD."method", OLD."network", OLD."asset", OLD."recipient",
      OLD."amount_atomic", OLD."reason", OLD."requested_at") THEN
    RAISE EXCEPTION 'the terms of refund % may not change', OLD."id" USING ERRCODE = 'restrict_violation';
  ELSIF OLD."state" IN ('confirmed', 'cancelled') THEN
    RAISE EXCEPTION 'refund % is over', OLD."id" USING ERRCODE = 'restrict_violation';
  ELSIF OLD."state" <> NEW."state" AND (
    NOT EXISTS (SELECT FROM "legal_refund_move" WHERE "from_state" = OLD."state" AND "to_state" = NEW."state")
    OR (OLD."state" = 'requested' AND NEW."state" = 'confirmed' AND NEW."method" <> 'account')
    OR (NEW."state" = 'sent' AND NEW."method" = 'account')
  ) THEN
    RAISE EXCEPTION 'refund % may not move from % to %', OLD."id", OLD."state", NEW."state" USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END;
$$;

CREATE FUNCTION "record_refund_move"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "refund_move" ("refund_id", "from_state", "to_state", "transaction_hash", "at", "note")
  VALUES (NEW."id", CASE WHEN TG_OP = 'UPDATE' THEN OLD."state" END, NEW."state", NEW."transaction_hash", NEW."moved_at",
    NEW."move_note");
  RETURN NULL;
END;
$$;

-- A confirmed refund ends its call, and enters the account that it goes to.
CREATE FUNCTION "complete_refund"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "paid_call" SET "state" = 'refunded', "moved_at" = NEW."moved_at", "move_note" = NEW."reason", "worked_by" = NULL
  WHERE "id" = NEW."paid_call_id";
  IF NEW."method" = 'account' THEN
    INSERT INTO "account_balance" ("account_id", "balance_atomic") VALUES (NEW."recipient", NEW."amount_atomic")
    ON CONFLICT ("account_id") DO UPDATE SET "balance_atomic" = "account_balance"."balance_atomic" + EXCLUDED."balance_atomic";
  END IF;
  RETURN NULL;
END;
$$;

CREATE FUNCTION "refuse_refunded_without_refund"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM "refund" WHERE "paid_call_id" = NEW."id" AND "state" = 'confirmed') THEN
    RAISE EXCEPTION 'paid call % has no confirmed refund', NEW."id" USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER "refund_legal_beginning" BEFORE INSERT ON "refund"
  FOR EACH ROW EXECUTE FUNCTION "refuse_illegal_refund"();
CREATE TRIGGER "refund_legal_move" BEFORE UPDATE ON "refund"
  FOR EACH ROW EXECUTE FUNCTION "refuse_illegal_refund_move"();
CREATE TRIGGER "refund_beginning_recorded" AFTER INSERT ON "refund"
  FOR EACH ROW EXECUTE FUNCTION "record_refund_move"();
CREATE TRIGGER "refund_move_recorded" AFTER UPDATE ON "refund"
  FOR EACH ROW WHEN (
    (OLD."state", OLD."transaction_hash", OLD."reorganizations")
      IS DISTINCT FROM (NEW."state", NEW."transaction_hash", NEW."reorganizations")
  ) EXECUTE FUNCTION "record_refund_move"();
CREATE TRIGGER "refund_completed" AFTER UPDATE OF "state" ON "refund"
  FOR EACH ROW WHEN (OLD."state" <> 'confirmed' AND NEW."state" = 'confirmed') EXECUTE FUNCTION "complete_refund"();
CREATE TRIGGER "paid_call_refunded_by_refund" BEFORE UPDATE OF "state" ON "paid_call"
  FOR EACH ROW WHEN (OLD."state" <> 'refunded' AND NEW."state" = 'refunded')
  EXECUTE FUNCTION "refuse_refunded_without_refund"();

CREATE TRIGGER "refund_kept" BEFORE DELETE ON "refund"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "refund_not_emptied" BEFORE TRUNCATE ON "refund"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "refund_move_append_only" BEFORE UPDATE OR DELETE ON "refund_move"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "refund_move_not_emptied" BEFORE TRUNCATE ON "refund_move"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "refund_move_by_trigger_only" BEFORE INSERT ON "refund_move"
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "refuse_direct_insert"();

-- As before, and what a refund means in money.
CREATE OR REPLACE FUNCTION "record_moves"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "paid_call_move" ("paid_call_id", "from_state", "to_state", "at", "note")
  SELECT after."id", step."from_state", step."to_state", after."moved_at", after."move_note"
  FROM before JOIN after USING ("id")
  CROSS JOIN LATERAL (VALUES (before."state" = 'claimed' AND after."state" = 'settling')) AS step_over("prepared")
  CROSS JOIN LATERAL (
    -- What was prepared is stored together with the permission to charge, so no call rests in `prepared`.
    SELECT before."state", CASE WHEN step_over."prepared" THEN 'prepared' ELSE after."state" END
    UNION ALL SELECT 'prepared', 'settling' WHERE step_over."prepared"
  ) AS step("from_state", "to_state")
  WHERE before."state" <> after."state";
  -- Most updates move nothing.
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;

  INSERT INTO "posting" ("paid_call_id", "kind", "round", "debit_account", "credit_account", "amount_atomic", "unit", "at")
  SELECT after."id", after."state", after."reorganizations",
    CASE
      WHEN after."state" = 'refunded' AND before."state" <> 'needs_attention' THEN "revenue_account"(after."operation")
      WHEN after."state" <> 'settled' THEN "prepaid_account"(after."payer")
      WHEN after."network" = 'account' THEN "balance_account"(after."payer")
      ELSE "treasury_account"(after."network")
    END,
    CASE
      WHEN after."state" = 'refunded' THEN (
        SELECT CASE "method" WHEN 'account' THEN "balance_account"("recipient") ELSE "treasury_account"("network") END
        FROM "refund" WHERE "paid_call_id" = after."id" AND "state" = 'confirmed')
      WHEN after."state" = 'settled' THEN "prepaid_account"(after."payer")
      WHEN after."credited_account" IS NULL THEN "revenue_account"(after."operation")
      WHEN before."credited_account" IS NULL THEN "balance_account"(after."credited_account")
      -- Credited before a re-organization, and settled again: what was owed to us is paid.
      ELSE "reorganized_deposits_account"()
    END,
    after."amount_atomic", 'usdc', after."moved_at"
  FROM before JOIN after USING ("id")
  WHERE before."state" <> after."state" AND after."state" IN ('settled', 'delivered', 'kept', 'refunded');

  -- A re-organization took settlements away.
  IF EXISTS (
    SELECT FROM before JOIN after USING ("id")
    WHERE after."state" = 'unknown' AND before."state" NOT IN ('unknown', 'settling')
  ) THEN
    INSERT INTO "posting" ("paid_call_id", "kind", "round", "debit_account", "credit_account", "amount_atomic", "unit", "at")
    SELECT after."id", posted."kind" || '_reversed', posted."round",
      -- What was credited to a prepaid account may be spent: it stays there, and is owed to us.
      CASE WHEN posted."credit_account" = "balance_account"(after."credited_account") THEN "reorganized_deposits_account"()
        ELSE posted."credit_account" END,
      posted."debit_account", posted."amount_atomic", posted."unit", after."moved_at"
    FROM before JOIN after USING ("id")
    JOIN "posting" posted ON posted."paid_call_id" = after."id" AND posted."round" = before."reorganizations"
    WHERE after."state" = 'unknown' AND before."state" NOT IN ('unknown', 'settling')
      AND posted."kind" IN ('settled', 'delivered', 'kept')
    ORDER BY posted."id";
  END IF;
  RETURN NULL;
END;
$$;
