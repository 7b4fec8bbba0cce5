-- AlterTable
ALTER TABLE "paid_call" ADD COLUMN     "channel_id" TEXT;

-- CreateTable
CREATE TABLE "channel" (
    "id" TEXT NOT NULL,
    "network" TEXT NOT NULL,
    "payer" TEXT NOT NULL,
    "receiver" TEXT NOT NULL,
    "receiver_authorizer" TEXT NOT NULL,
    "token" TEXT NOT NULL,
    "withdraw_delay" INTEGER NOT NULL,
    "salt" TEXT NOT NULL,
    "balance_atomic" BIGINT NOT NULL,
    "withdrawing_atomic" BIGINT NOT NULL,
    "withdrawal_begun_at" BIGINT NOT NULL DEFAULT 0,
    "claimed_atomic" BIGINT NOT NULL,
    "refund_nonce" BIGINT NOT NULL DEFAULT 0,
    "read_at_block" BIGINT NOT NULL,
    "read_at" TIMESTAMPTZ(3) NOT NULL,
    "opened_atomic" BIGINT NOT NULL,
    "charged_atomic" BIGINT NOT NULL,
    "signature" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "claim_sent_at" TIMESTAMPTZ(3),

    CONSTRAINT "channel_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "channel_event" (
    "id" BIGSERIAL NOT NULL,
    "network" TEXT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "transaction_hash" TEXT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "channel_id" TEXT,
    "amount_atomic" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "channel_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "published_voucher" (
    "channel_id" TEXT NOT NULL,
    "total_atomic" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "published_voucher_pkey" PRIMARY KEY ("channel_id","total_atomic")
);

-- CreateTable
CREATE TABLE "channel_watch" (
    "network" TEXT NOT NULL,
    "final_block" BIGINT NOT NULL,
    "seen_block" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "channel_watch_pkey" PRIMARY KEY ("network")
);

-- AlterTable
ALTER TABLE "posting" ADD COLUMN     "channel_event_id" BIGINT;

-- CreateIndex
CREATE UNIQUE INDEX "channel_event_network_transaction_hash_log_index_key" ON "channel_event"("network", "transaction_hash", "log_index");

-- CreateIndex
CREATE INDEX "channel_event_channel_id_idx" ON "channel_event"("channel_id");

-- CreateIndex
CREATE UNIQUE INDEX "posting_channel_event_id_key" ON "posting"("channel_event_id");

-- AddForeignKey
ALTER TABLE "published_voucher" ADD CONSTRAINT "published_voucher_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channel"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "channel_event" ADD CONSTRAINT "channel_event_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channel"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "posting" ADD CONSTRAINT "posting_channel_event_id_fkey" FOREIGN KEY ("channel_event_id") REFERENCES "channel_event"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "paid_call" ADD CONSTRAINT "paid_call_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channel"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand from here on: what schema.prisma cannot say.

-- Amounts are never negative, and what was spent stays spent: a lower total would let a voucher buy twice.
ALTER TABLE "channel" ADD CONSTRAINT "channel_amounts_not_negative" CHECK (
  "balance_atomic" >= 0 AND "withdrawing_atomic" >= 0 AND "claimed_atomic" >= 0 AND "opened_atomic" >= 0
  AND "charged_atomic" >= "opened_atomic");

CREATE FUNCTION "refuse_lower_total"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'channel % may not be charged less than before', NEW."id" USING ERRCODE = 'check_violation';
END;
$$;

CREATE TRIGGER "channel_total_only_rises" BEFORE UPDATE ON "channel"
  FOR EACH ROW WHEN (NEW."charged_atomic" < OLD."charged_atomic" OR NEW."opened_atomic" <> OLD."opened_atomic")
  EXECUTE FUNCTION "refuse_lower_total"();
CREATE TRIGGER "channel_kept" BEFORE DELETE ON "channel"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "channel_not_emptied" BEFORE TRUNCATE ON "channel"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();

-- A voucher that has not paid for a call may buy something else.
CREATE FUNCTION "free_voucher"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."authorization" := OLD."authorization" || ':' || OLD."id";
  RETURN NEW;
END;
$$;
CREATE TRIGGER "paid_call_frees_voucher" BEFORE UPDATE ON "paid_call"
  FOR EACH ROW WHEN (NEW."channel_id" IS NOT NULL AND OLD."refusal_final_at" IS NULL AND NEW."refusal_final_at" IS NOT NULL)
  EXECUTE FUNCTION "free_voucher"();

-- What was spent by vouchers and not claimed yet: ours, in the contract's hands.
CREATE FUNCTION "unclaimed_account"(network text) RETURNS "ledger_account" LANGUAGE sql IMMUTABLE
  AS $$ SELECT 'chain:' || network || ':unclaimed' $$;

-- Few channels have anything to claim, however many there are.
CREATE INDEX "channel_to_claim_idx" ON "channel"("network") WHERE "charged_atomic" > "claimed_atomic";

-- What was claimed and not swept: the contract owes it to our payee.
CREATE FUNCTION "claimed_account"(network text) RETURNS "ledger_account" LANGUAGE sql IMMUTABLE
  AS $$ SELECT 'chain:' || network || ':claimed' $$;

-- What the contract's events did to our money. It does not matter who sent the transaction.
CREATE FUNCTION "post_channel_event"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."amount_atomic" > 0 AND NEW."name" IN ('Claimed', 'Settled') THEN
    INSERT INTO "posting" ("channel_event_id", "kind", "debit_account", "credit_account", "amount_atomic", "unit", "at")
    SELECT NEW."id",
      CASE NEW."name" WHEN 'Claimed' THEN 'claimed' ELSE 'swept' END,
      CASE NEW."name" WHEN 'Claimed' THEN "claimed_account"(NEW."network") ELSE "treasury_account"(NEW."network") END,
      CASE NEW."name" WHEN 'Claimed' THEN "unclaimed_account"(NEW."network") ELSE "claimed_account"(NEW."network") END,
      NEW."amount_atomic", 'usdc', NEW."at";
  END IF;
  RETURN NULL;
END;
$$;
CREATE TRIGGER "channel_event_posted" AFTER INSERT ON "channel_event"
  FOR EACH ROW EXECUTE FUNCTION "post_channel_event"();
CREATE TRIGGER "channel_event_kept" BEFORE UPDATE OR DELETE ON "channel_event"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();

-- As before, but a voucher pays into what is unclaimed.
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
