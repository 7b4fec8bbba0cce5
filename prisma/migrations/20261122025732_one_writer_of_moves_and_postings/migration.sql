-- AlterEnum
-- Without `delivering`, which nothing ever wrote. What mentions the column by its type is made again below.
DROP INDEX "paid_call_refusal_open_idx";
DROP TRIGGER "paid_call_legal_move" ON "paid_call";
DROP TRIGGER "paid_call_releases_upload" ON "paid_call";
DELETE FROM "legal_move" WHERE 'delivering' IN ("from_state", "to_state");
CREATE TYPE "paid_call_state_new" AS ENUM ('claimed', 'prepared', 'settling', 'settled', 'delivered', 'kept', 'refused', 'unknown', 'needs_attention', 'refunded');
ALTER TABLE "paid_call" ALTER COLUMN "state" TYPE "paid_call_state_new" USING ("state"::text::"paid_call_state_new");
ALTER TABLE "paid_call_move" ALTER COLUMN "from_state" TYPE "paid_call_state_new" USING ("from_state"::text::"paid_call_state_new"),
ALTER COLUMN "to_state" TYPE "paid_call_state_new" USING ("to_state"::text::"paid_call_state_new");
ALTER TABLE "legal_move" ALTER COLUMN "from_state" TYPE "paid_call_state_new" USING ("from_state"::text::"paid_call_state_new"),
ALTER COLUMN "to_state" TYPE "paid_call_state_new" USING ("to_state"::text::"paid_call_state_new");
DROP TYPE "paid_call_state";
ALTER TYPE "paid_call_state_new" RENAME TO "paid_call_state";

-- AlterTable
ALTER TABLE "paid_call" RENAME COLUMN "handed_over_at" TO "queued_for_signer_at";
ALTER TABLE "paid_call" DROP COLUMN "last_valid_height",
ADD COLUMN     "credited_account" TEXT,
ADD COLUMN     "move_note" TEXT;

-- AlterTable
ALTER TABLE "settlement_transaction" ADD COLUMN     "fee_atomic" DECIMAL(78,0),
ADD COLUMN     "fee_in_vain_atomic" DECIMAL(78,0),
ADD COLUMN     "fee_unit" TEXT,
ADD COLUMN     "reorganized_at" TIMESTAMPTZ(3);

-- By hand from here on: what schema.prisma cannot say.

ALTER INDEX "paid_call_handed_over_idx" RENAME TO "paid_call_queued_for_signer_idx";
CREATE INDEX "paid_call_refusal_open_idx" ON "paid_call"("valid_before") WHERE "state" = 'refused' AND "refusal_final_at" IS NULL;

-- What the new columns would hold, had they been there.
UPDATE "paid_call" SET "credited_account" = substr("credit_account", length('account:') + 1)
FROM "posting"
WHERE "posting"."paid_call_id" = "paid_call"."id" AND "kind" = 'delivered' AND "credit_account" LIKE 'account:%';

UPDATE "settlement_transaction" SET "fee_atomic" = gas."amount_atomic", "fee_unit" = gas."unit",
  "fee_in_vain_atomic" = COALESCE(in_vain."amount_atomic", 0)
FROM "posting" gas LEFT JOIN "posting" in_vain ON in_vain."settlement_id" = gas."settlement_id"
  AND in_vain."round" = gas."round" AND in_vain."kind" = 'gas_in_vain'
WHERE gas."settlement_id" = "settlement_transaction"."id" AND gas."kind" = 'gas'
  AND gas."round" = "reorganizations" AND "state" = 'confirmed';

-- Accounts of the ledger: a type of their own, and one function for each kind of account. Nothing else makes one.
CREATE DOMAIN "ledger_account" AS text
  CHECK (split_part(VALUE, ':', 1) IN ('chain', 'expense', 'prepaid', 'revenue', 'account', 'receivable'));
ALTER TABLE "posting" ALTER COLUMN "debit_account" TYPE "ledger_account", ALTER COLUMN "credit_account" TYPE "ledger_account";

-- Our token account on a network: what was paid to us there.
CREATE FUNCTION "treasury_account"(network text) RETURNS "ledger_account" LANGUAGE sql IMMUTABLE
  AS $$ SELECT 'chain:' || network || ':treasury' $$;
-- What a settlement key holds for gas.
CREATE FUNCTION "gas_wallet_account"(network text, signer text) RETURNS "ledger_account" LANGUAGE sql IMMUTABLE
  AS $$ SELECT 'chain:' || network || ':gas:' || signer $$;
CREATE FUNCTION "gas_expense_account"(network text) RETURNS "ledger_account" LANGUAGE sql IMMUTABLE
  AS $$ SELECT 'expense:gas:' || network $$;
-- Gas of payments that failed.
CREATE FUNCTION "gas_in_vain_account"(network text) RETURNS "ledger_account" LANGUAGE sql IMMUTABLE
  AS $$ SELECT 'expense:gas_in_vain:' || network $$;
-- What a payer has paid for and we have neither delivered nor given back.
CREATE FUNCTION "prepaid_account"(payer text) RETURNS "ledger_account" LANGUAGE sql IMMUTABLE
  AS $$ SELECT 'prepaid:' || payer $$;
CREATE FUNCTION "revenue_account"(operation text) RETURNS "ledger_account" LANGUAGE sql IMMUTABLE
  AS $$ SELECT 'revenue:' || operation $$;
-- What the holder of a prepaid account may spend.
CREATE FUNCTION "balance_account"(account_id text) RETURNS "ledger_account" LANGUAGE sql IMMUTABLE
  AS $$ SELECT 'account:' || account_id $$;
-- Deposits that were credited and whose settlement a re-organization took away: owed to us until it is settled again.
CREATE FUNCTION "reorganized_deposits_account"() RETURNS "ledger_account" LANGUAGE sql IMMUTABLE
  AS $$ SELECT 'receivable:reorganized-deposits' $$;

-- A call begins as claimed. One with nothing to prepare goes on to settling in the statement that claims it.
CREATE FUNCTION "refuse_illegal_beginning"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'paid call % may not begin as %', NEW."id", NEW."state" USING ERRCODE = 'check_violation';
END;
$$;

CREATE FUNCTION "record_beginnings"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "paid_call_move" ("paid_call_id", "from_state", "to_state", "at")
  SELECT "id", step."from_state", step."to_state", "moved_at" FROM claimed
  CROSS JOIN LATERAL (
    SELECT NULL::"paid_call_state", 'claimed'::"paid_call_state"
    UNION ALL SELECT 'claimed', 'settling' WHERE claimed."state" = 'settling'
  ) AS step("from_state", "to_state");
  RETURN NULL;
END;
$$;

-- Records the moves of a statement, and posts what they mean in money. For all calls of the statement together: a group of
-- calls costs little more than one.
CREATE FUNCTION "record_moves"() RETURNS trigger LANGUAGE plpgsql AS $$
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
      WHEN after."state" <> 'settled' THEN "prepaid_account"(after."payer")
      WHEN after."network" = 'account' THEN "balance_account"(after."payer")
      ELSE "treasury_account"(after."network")
    END,
    CASE
      WHEN after."state" = 'settled' THEN "prepaid_account"(after."payer")
      WHEN after."credited_account" IS NULL THEN "revenue_account"(after."operation")
      WHEN before."credited_account" IS NULL THEN "balance_account"(after."credited_account")
      -- Credited before a re-organization, and settled again: what was owed to us is paid.
      ELSE "reorganized_deposits_account"()
    END,
    after."amount_atomic", 'usdc', after."moved_at"
  FROM before JOIN after USING ("id")
  WHERE before."state" <> after."state" AND after."state" IN ('settled', 'delivered', 'kept');

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

-- Posts what a transaction cost when it is found in a block, and reverses it when it is not there any more.
CREATE FUNCTION "record_fee"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."state" = 'confirmed' THEN
    INSERT INTO "posting" ("settlement_id", "kind", "round", "debit_account", "credit_account", "amount_atomic", "unit", "at")
    SELECT NEW."id", fee."kind", NEW."reorganizations", fee."debit", fee."credit", fee."amount", NEW."fee_unit", NEW."confirmed_at"
    FROM (VALUES
      ('gas', "gas_expense_account"(NEW."network"), "gas_wallet_account"(NEW."network", NEW."signer"), NEW."fee_atomic"),
      ('gas_in_vain', "gas_in_vain_account"(NEW."network"), "gas_expense_account"(NEW."network"), NEW."fee_in_vain_atomic")
    ) AS fee("kind", "debit", "credit", "amount")
    WHERE fee."amount" > 0;
  ELSE
    INSERT INTO "posting" ("settlement_id", "kind", "round", "debit_account", "credit_account", "amount_atomic", "unit", "at")
    SELECT "settlement_id", "kind" || '_reversed', "round", "credit_account", "debit_account", "amount_atomic", "unit",
      NEW."reorganized_at"
    FROM "posting"
    WHERE "settlement_id" = NEW."id" AND "round" = OLD."reorganizations" AND "kind" IN ('gas', 'gas_in_vain')
    ORDER BY "id";
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER "paid_call_legal_move" BEFORE UPDATE OF "state" ON "paid_call"
  FOR EACH ROW WHEN (OLD."state" IS DISTINCT FROM NEW."state") EXECUTE FUNCTION "refuse_illegal_move"();
CREATE TRIGGER "paid_call_legal_beginning" BEFORE INSERT ON "paid_call"
  FOR EACH ROW WHEN (NEW."state" NOT IN ('claimed', 'settling')) EXECUTE FUNCTION "refuse_illegal_beginning"();
CREATE TRIGGER "paid_call_beginnings_recorded" AFTER INSERT ON "paid_call"
  REFERENCING NEW TABLE AS claimed FOR EACH STATEMENT EXECUTE FUNCTION "record_beginnings"();
CREATE TRIGGER "paid_call_moves_recorded" AFTER UPDATE ON "paid_call"
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION "record_moves"();
CREATE TRIGGER "paid_call_releases_upload" AFTER UPDATE OF "state" ON "paid_call"
  FOR EACH ROW WHEN (
    OLD."state" IS DISTINCT FROM NEW."state"
    AND NEW."state" IN ('delivered', 'kept', 'refused', 'needs_attention', 'refunded')
    AND NEW."operation" IN ('uploads.renew', 'uploads.delete')
  ) EXECUTE FUNCTION "release_upload_reservation"();
CREATE TRIGGER "settlement_transaction_fee_posted" AFTER UPDATE OF "state" ON "settlement_transaction"
  FOR EACH ROW WHEN (OLD."state" IS DISTINCT FROM NEW."state" AND 'confirmed' IN (OLD."state", NEW."state"))
  EXECUTE FUNCTION "record_fee"();

-- Nothing but those triggers writes moves and postings.
CREATE FUNCTION "refuse_direct_insert"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'INSERT on % is refused: its rows are written by triggers', TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END;
$$;

CREATE TRIGGER "posting_by_trigger_only" BEFORE INSERT ON "posting"
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "refuse_direct_insert"();
CREATE TRIGGER "paid_call_move_by_trigger_only" BEFORE INSERT ON "paid_call_move"
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "refuse_direct_insert"();
