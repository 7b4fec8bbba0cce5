-- AlterEnum
-- No call is ever in `prepared`. Its record keeps that step, and with it the type as it was, under another name.
DROP INDEX "paid_call_refusal_open_idx";
DROP INDEX "paid_call_rare_idx";
DROP INDEX "paid_call_of_wallet_idx";
DROP TRIGGER "paid_call_legal_move" ON "paid_call";
DROP TRIGGER "paid_call_legal_beginning" ON "paid_call";
DROP TRIGGER "paid_call_releases_upload" ON "paid_call";
DROP TRIGGER "paid_call_refunded_by_refund" ON "paid_call";
DROP TRIGGER "paid_call_legal_transfer_move" ON "paid_call";
DELETE FROM "legal_move" WHERE 'prepared' IN ("from_state", "to_state");
ALTER TYPE "paid_call_state" RENAME TO "paid_call_step";
CREATE TYPE "paid_call_state" AS ENUM ('claimed', 'settling', 'settled', 'delivered', 'kept', 'refused', 'unknown', 'needs_attention', 'refunded');
ALTER TABLE "paid_call" ALTER COLUMN "state" TYPE "paid_call_state" USING ("state"::text::"paid_call_state");
ALTER TABLE "legal_move" ALTER COLUMN "from_state" TYPE "paid_call_state" USING ("from_state"::text::"paid_call_state"),
ALTER COLUMN "to_state" TYPE "paid_call_state" USING ("to_state"::text::"paid_call_state");

-- By hand from here on: what schema.prisma cannot say.

CREATE INDEX "paid_call_refusal_open_idx" ON "paid_call"("valid_before") WHERE "state" = 'refused' AND "refusal_final_at" IS NULL;
CREATE INDEX "paid_call_rare_idx" ON "paid_call"("state", "created_at", "id")
  WHERE "state" IN ('kept', 'refused', 'unknown', 'needs_attention', 'refunded');
CREATE INDEX "paid_call_of_wallet_idx" ON "paid_call"("payer", "created_at", "id")
  WHERE "network" <> 'account' AND "state" IN ('settled', 'delivered', 'kept', 'needs_attention', 'refunded', 'unknown');

CREATE TRIGGER "paid_call_legal_move" BEFORE UPDATE OF "state" ON "paid_call"
  FOR EACH ROW WHEN (OLD."state" IS DISTINCT FROM NEW."state") EXECUTE FUNCTION "refuse_illegal_move"();
CREATE TRIGGER "paid_call_legal_beginning" BEFORE INSERT ON "paid_call"
  FOR EACH ROW WHEN (NEW."state" NOT IN ('claimed', 'settling')) EXECUTE FUNCTION "refuse_illegal_beginning"();
CREATE TRIGGER "paid_call_releases_upload" AFTER UPDATE OF "state" ON "paid_call"
  FOR EACH ROW WHEN (
    OLD."state" IS DISTINCT FROM NEW."state"
    AND NEW."state" IN ('delivered', 'kept', 'refused', 'needs_attention', 'refunded')
    AND NEW."operation" IN ('uploads.renew', 'uploads.delete')
  ) EXECUTE FUNCTION "release_upload_reservation"();
CREATE TRIGGER "paid_call_refunded_by_refund" BEFORE UPDATE OF "state" ON "paid_call"
  FOR EACH ROW WHEN (OLD."state" <> 'refunded' AND NEW."state" = 'refunded')
  EXECUTE FUNCTION "refuse_refunded_without_refund"();
CREATE TRIGGER "paid_call_legal_transfer_move" BEFORE UPDATE OF "state" ON "paid_call"
  FOR EACH ROW WHEN (NEW."operation" = 'transfers.unmatched') EXECUTE FUNCTION "refuse_illegal_transfer"();

CREATE OR REPLACE FUNCTION "record_beginnings"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "paid_call_move" ("paid_call_id", "from_state", "to_state", "at")
  SELECT "id", step."from_state", step."to_state", "moved_at" FROM claimed
  CROSS JOIN LATERAL (
    SELECT NULL::"paid_call_step", 'claimed'::"paid_call_step"
    UNION ALL SELECT 'claimed', 'settling' WHERE claimed."state" = 'settling'
  ) AS step("from_state", "to_state");
  RETURN NULL;
END;
$$;

CREATE OR REPLACE FUNCTION "record_moves"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "paid_call_move" ("paid_call_id", "from_state", "to_state", "at", "note")
  SELECT after."id", step."from_state", step."to_state", after."moved_at", after."move_note"
  FROM before JOIN after USING ("id")
  CROSS JOIN LATERAL (VALUES (before."state" = 'claimed' AND after."state" = 'settling')) AS step_over("prepared")
  CROSS JOIN LATERAL (
    -- What was prepared is stored together with the permission to charge, so both are recorded at once.
    SELECT before."state"::text::"paid_call_step",
      CASE WHEN step_over."prepared" THEN 'prepared' ELSE after."state"::text::"paid_call_step" END
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
      WHEN after."channel_id" IS NOT NULL THEN "unclaimed_account"(after."network")
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
