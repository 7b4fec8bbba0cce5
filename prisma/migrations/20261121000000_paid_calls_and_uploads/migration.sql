-- CreateEnum
CREATE TYPE "paid_call_state" AS ENUM ('claimed', 'prepared', 'settling', 'settled', 'delivering', 'delivered', 'kept', 'refused', 'unknown', 'needs_attention', 'refunded');

-- CreateTable
CREATE TABLE "paid_call" (
    "id" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "rail" TEXT NOT NULL,
    "network" TEXT NOT NULL,
    "asset" TEXT NOT NULL,
    "payer" TEXT NOT NULL,
    "authorization" TEXT NOT NULL,
    "amount_atomic" BIGINT NOT NULL,
    "pay_to" TEXT NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "idempotency_key_hash" BYTEA,
    "claim_token_hash" BYTEA,
    "state" "paid_call_state" NOT NULL,
    "input" BYTEA,
    "payment" BYTEA NOT NULL,
    "valid_before" TIMESTAMPTZ(3) NOT NULL,
    "last_valid_height" BIGINT,
    "transaction_hash" TEXT,
    "settlement_id" TEXT,
    "refusal_reason" TEXT,
    "answer_status" INTEGER,
    "answer" BYTEA,
    "answer_expires_at" TIMESTAMPTZ(3),
    "worked_by" TEXT,
    "attempt_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "moved_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "paid_call_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "paid_call_move" (
    "id" BIGSERIAL NOT NULL,
    "paid_call_id" TEXT NOT NULL,
    "from_state" "paid_call_state",
    "to_state" "paid_call_state" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "note" TEXT,

    CONSTRAINT "paid_call_move_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "posting" (
    "id" BIGSERIAL NOT NULL,
    "paid_call_id" TEXT,
    "settlement_id" TEXT,
    "kind" TEXT NOT NULL,
    "debit_account" TEXT NOT NULL,
    "credit_account" TEXT NOT NULL,
    "amount_atomic" DECIMAL(78,0) NOT NULL,
    "unit" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "posting_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "settlement_transaction" (
    "id" TEXT NOT NULL,
    "network" TEXT NOT NULL,
    "signer" TEXT NOT NULL,
    "nonce" BIGINT,
    "hash" TEXT NOT NULL,
    "raw" BYTEA NOT NULL,
    "payments" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "block_number" BIGINT,
    "gas_used" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3),

    CONSTRAINT "settlement_transaction_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "instance" (
    "id" TEXT NOT NULL,
    "alive_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "instance_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "upload" (
    "id" TEXT NOT NULL,
    "paid_call_id" TEXT NOT NULL,
    "owner" TEXT NOT NULL,
    "mime" TEXT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "sha256" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "link_token" TEXT NOT NULL,
    "tags" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "upload_url_expires_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "renewal_count" INTEGER NOT NULL DEFAULT 0,
    "deleted_at" TIMESTAMPTZ(3),
    "deleted_by" TEXT,
    "erased_at" TIMESTAMPTZ(3),

    CONSTRAINT "upload_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "upload_renewal" (
    "paid_call_id" TEXT NOT NULL,
    "upload_id" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "renewal_count" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "upload_renewal_pkey" PRIMARY KEY ("paid_call_id")
);

-- CreateIndex
CREATE INDEX "paid_call_state_attempt_at_idx" ON "paid_call"("state", "attempt_at");

-- CreateIndex
CREATE INDEX "paid_call_settlement_id_idx" ON "paid_call"("settlement_id");

-- CreateIndex
CREATE UNIQUE INDEX "paid_call_network_asset_payer_authorization_key" ON "paid_call"("network", "asset", "payer", "authorization");

-- CreateIndex
CREATE UNIQUE INDEX "paid_call_payer_idempotency_key_hash_key" ON "paid_call"("payer", "idempotency_key_hash");

-- CreateIndex
CREATE INDEX "paid_call_move_paid_call_id_idx" ON "paid_call_move"("paid_call_id");

-- CreateIndex
CREATE UNIQUE INDEX "posting_paid_call_id_kind_key" ON "posting"("paid_call_id", "kind");

-- CreateIndex
CREATE UNIQUE INDEX "posting_settlement_id_kind_key" ON "posting"("settlement_id", "kind");

-- CreateIndex
CREATE INDEX "settlement_transaction_network_signer_nonce_idx" ON "settlement_transaction"("network", "signer", "nonce");

-- CreateIndex
CREATE UNIQUE INDEX "settlement_transaction_network_hash_key" ON "settlement_transaction"("network", "hash");

-- CreateIndex
CREATE UNIQUE INDEX "upload_paid_call_id_key" ON "upload"("paid_call_id");

-- CreateIndex
CREATE UNIQUE INDEX "upload_link_token_key" ON "upload"("link_token");

-- CreateIndex
CREATE UNIQUE INDEX "upload_deleted_by_key" ON "upload"("deleted_by");

-- CreateIndex
CREATE INDEX "upload_expires_at_idx" ON "upload"("expires_at");

-- CreateIndex
CREATE INDEX "upload_renewal_upload_id_idx" ON "upload_renewal"("upload_id");

-- AddForeignKey
ALTER TABLE "paid_call" ADD CONSTRAINT "paid_call_settlement_id_fkey" FOREIGN KEY ("settlement_id") REFERENCES "settlement_transaction"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "paid_call_move" ADD CONSTRAINT "paid_call_move_paid_call_id_fkey" FOREIGN KEY ("paid_call_id") REFERENCES "paid_call"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "posting" ADD CONSTRAINT "posting_paid_call_id_fkey" FOREIGN KEY ("paid_call_id") REFERENCES "paid_call"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "posting" ADD CONSTRAINT "posting_settlement_id_fkey" FOREIGN KEY ("settlement_id") REFERENCES "settlement_transaction"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upload_renewal" ADD CONSTRAINT "upload_renewal_upload_id_fkey" FOREIGN KEY ("upload_id") REFERENCES "upload"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand from here on: what schema.prisma cannot say.

-- Money is counted in positive amounts and moves between two accounts.
ALTER TABLE "paid_call" ADD CONSTRAINT "paid_call_amount_positive" CHECK ("amount_atomic" > 0);
ALTER TABLE "posting" ADD CONSTRAINT "posting_amount_positive" CHECK ("amount_atomic" > 0);
ALTER TABLE "posting" ADD CONSTRAINT "posting_two_accounts" CHECK ("debit_account" <> "credit_account");

-- What happened stays written: moves and postings are never changed, and nothing about money is ever removed.
CREATE FUNCTION "refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on % is refused: its rows are a record of money', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END;
$$;

CREATE TRIGGER "posting_append_only" BEFORE UPDATE OR DELETE ON "posting"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "paid_call_move_append_only" BEFORE UPDATE OR DELETE ON "paid_call_move"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "paid_call_kept" BEFORE DELETE ON "paid_call"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "settlement_transaction_kept" BEFORE DELETE ON "settlement_transaction"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();

CREATE TRIGGER "posting_not_emptied" BEFORE TRUNCATE ON "posting"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "paid_call_move_not_emptied" BEFORE TRUNCATE ON "paid_call_move"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "paid_call_not_emptied" BEFORE TRUNCATE ON "paid_call"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "settlement_transaction_not_emptied" BEFORE TRUNCATE ON "settlement_transaction"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();

-- How a paid call may move: the table in lib/ledger/states.ts, held by the database as well. A test compares the two.
CREATE TABLE "legal_move" (
  "from_state" "paid_call_state" NOT NULL,
  "to_state" "paid_call_state" NOT NULL,
  PRIMARY KEY ("from_state", "to_state")
);

INSERT INTO "legal_move" ("from_state", "to_state") VALUES
  ('claimed', 'prepared'),
  ('claimed', 'settling'),
  ('claimed', 'refused'),
  ('prepared', 'settling'),
  ('prepared', 'refused'),
  ('settling', 'settled'),
  ('settling', 'refused'),
  ('settling', 'unknown'),
  ('unknown', 'settled'),
  ('unknown', 'refused'),
  ('unknown', 'settling'),
  ('settled', 'delivering'),
  ('settled', 'delivered'),
  ('settled', 'kept'),
  ('settled', 'needs_attention'),
  ('settled', 'unknown'),
  ('settled', 'refunded'),
  ('delivering', 'delivered'),
  ('delivering', 'kept'),
  ('delivering', 'needs_attention'),
  ('delivering', 'unknown'),
  ('delivering', 'refunded'),
  ('needs_attention', 'delivering'),
  ('needs_attention', 'delivered'),
  ('needs_attention', 'kept'),
  ('needs_attention', 'refunded'),
  ('delivered', 'refunded'),
  ('kept', 'refunded'),
  ('refused', 'settled');

CREATE FUNCTION "refuse_illegal_move"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM "legal_move" WHERE "from_state" = OLD."state" AND "to_state" = NEW."state") THEN
    RAISE EXCEPTION 'paid call % may not move from % to %', OLD."id", OLD."state", NEW."state"
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER "paid_call_legal_move" BEFORE UPDATE OF "state" ON "paid_call"
  FOR EACH ROW WHEN (OLD."state" IS DISTINCT FROM NEW."state") EXECUTE FUNCTION "refuse_illegal_move"();
