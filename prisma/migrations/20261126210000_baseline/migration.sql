-- The whole database, one section for each room of lib/ that owns tables. Tables, keys and plain indexes are those of
-- schema.prisma, which says what each column holds. What Prisma cannot express stands beside them: checks, partial indexes,
-- functions and triggers, each with its reason.
--
-- Why triggers: several server processes, the worker, the operator's program and a person with psql all write here. What must
-- always be true of money is enforced where the row is.

------------------------------------------------------------------------------------------------------------------------
-- Guards that several rooms use
------------------------------------------------------------------------------------------------------------------------

-- What happened stays written. Attached to tables whose rows are never changed, or at least never removed.
CREATE FUNCTION "refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on % is refused: its rows are a record', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END;
$$;

-- Attached to records that only triggers write: nobody can forget to write one, or write one for something that did not happen.
CREATE FUNCTION "refuse_direct_insert"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'INSERT on % is refused: its rows are written by triggers', TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END;
$$;

------------------------------------------------------------------------------------------------------------------------
-- lib/platform: processes, limits, the installation
------------------------------------------------------------------------------------------------------------------------

CREATE TABLE "instance" (
  "id" TEXT NOT NULL,
  "alive_until" TIMESTAMPTZ(3) NOT NULL,
  "settles" TEXT[] DEFAULT ARRAY[]::TEXT[],
  "machine" TEXT,
  "process" TEXT,
  CONSTRAINT "instance_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "installation" (
  "id" BOOLEAN NOT NULL DEFAULT true,
  "networks" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "installation_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "installation_one_row" CHECK ("id"),
  CONSTRAINT "installation_networks" CHECK ("networks" IN ('main', 'test'))
);

-- Main and test networks never share books: the first start decides, and what was decided stays decided.
CREATE TRIGGER "installation_append_only" BEFORE UPDATE OR DELETE ON "installation"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "installation_not_emptied" BEFORE TRUNCATE ON "installation"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();

CREATE TABLE "attempt" (
  "key" TEXT NOT NULL,
  "since" TIMESTAMPTZ(3) NOT NULL,
  "attempts" INTEGER NOT NULL,
  CONSTRAINT "attempt_pkey" PRIMARY KEY ("key","since")
);

CREATE INDEX "attempt_since_idx" ON "attempt"("since");

CREATE TABLE "address_salt" (
  "day" DATE NOT NULL,
  "salt" BYTEA NOT NULL,
  CONSTRAINT "address_salt_pkey" PRIMARY KEY ("day")
);

------------------------------------------------------------------------------------------------------------------------
-- lib/ledger: settlement transactions
------------------------------------------------------------------------------------------------------------------------

CREATE TABLE "settlement_transaction" (
  "id" TEXT NOT NULL,
  "network" TEXT NOT NULL,
  "signer" TEXT,
  "nonce" BIGINT,
  "hash" TEXT NOT NULL,
  "raw" BYTEA,
  "payments" INTEGER NOT NULL,
  "state" TEXT NOT NULL,
  "block_number" BIGINT,
  "block_hash" TEXT,
  "gas_used" BIGINT,
  "fee_atomic" DECIMAL(78,0),
  "fee_in_vain_atomic" DECIMAL(78,0),
  "fee_unit" TEXT,
  "reorganizations" INTEGER NOT NULL DEFAULT 0,
  "reorganized_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "preconfirmed_at" TIMESTAMPTZ(3),
  "confirmed_at" TIMESTAMPTZ(3),
  "final_at" TIMESTAMPTZ(3),
  CONSTRAINT "settlement_transaction_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "settlement_transaction_network_signer_nonce_idx" ON "settlement_transaction"("network", "signer", "nonce");
CREATE UNIQUE INDEX "settlement_transaction_network_hash_key" ON "settlement_transaction"("network", "hash");

-- The few rows that are asked for again and again, apart from the many that never are: transactions that are followed until a
-- block has them, and those in a block that is not final yet.
CREATE INDEX "settlement_transaction_open_idx" ON "settlement_transaction"("network", "created_at")
  WHERE "state" IN ('prepared', 'preconfirmed');
CREATE INDEX "settlement_transaction_not_final_idx" ON "settlement_transaction"("network", "block_number")
  WHERE "state" = 'confirmed' AND "final_at" IS NULL;

CREATE TABLE "settlement_signer" (
  "network" TEXT NOT NULL,
  "signer" TEXT NOT NULL,
  "holder" TEXT,
  "next_nonce" BIGINT,
  CONSTRAINT "settlement_signer_pkey" PRIMARY KEY ("network","signer")
);

CREATE TABLE "preconfirmation_switch" (
  "network" TEXT NOT NULL,
  "version" BIGINT NOT NULL DEFAULT 0,
  "stopped_at" TIMESTAMPTZ(3),
  "lost_transaction" TEXT,
  "lost_payments" INTEGER NOT NULL DEFAULT 0,
  "lost_atomic" BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT "preconfirmation_switch_pkey" PRIMARY KEY ("network")
);

-- The legal moves of lib/ledger/states.ts, a second time: the program composes its statements from that table, and this one stops
-- whatever does not go through the program. A test compares the two.
CREATE TABLE "legal_settlement_move" (
  "from_state" text NOT NULL,
  "to_state" text NOT NULL,
  PRIMARY KEY ("from_state", "to_state")
);

INSERT INTO "legal_settlement_move" ("from_state", "to_state") VALUES
  ('confirmed', 'prepared'), ('confirmed', 'vanished'),
  ('preconfirmed', 'confirmed'), ('preconfirmed', 'prepared'), ('preconfirmed', 'replaced'),
  ('prepared', 'confirmed'), ('prepared', 'preconfirmed'), ('prepared', 'replaced'),
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

CREATE TRIGGER "settlement_transaction_legal_move" BEFORE UPDATE OF "state" ON "settlement_transaction"
  FOR EACH ROW WHEN (OLD."state" IS DISTINCT FROM NEW."state") EXECUTE FUNCTION "refuse_illegal_settlement_move"();

-- Our own transactions begin as prepared, those of third parties as confirmed.
CREATE FUNCTION "refuse_illegal_settlement_beginning"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'settlement transaction % may not begin as %', NEW."id", NEW."state" USING ERRCODE = 'check_violation';
END;
$$;

CREATE TRIGGER "settlement_transaction_legal_beginning" BEFORE INSERT ON "settlement_transaction"
  FOR EACH ROW WHEN (NEW."state" NOT IN ('prepared', 'confirmed')) EXECUTE FUNCTION "refuse_illegal_settlement_beginning"();

-- A block included another transaction with the nonce of this one. Both carry the same payments, so the other one pays for its
-- calls. Usually a call has no transaction before that; it has one after a pre-confirmation, or when recovery found it paid by a
-- transaction that its sender still follows.
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
  FOR EACH ROW WHEN (OLD."state" IN ('prepared', 'preconfirmed') AND NEW."state" = 'replaced')
  EXECUTE FUNCTION "follow_replacement"();

------------------------------------------------------------------------------------------------------------------------
-- lib/ledger: payment channels
------------------------------------------------------------------------------------------------------------------------

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
  "opened_at_block" BIGINT NOT NULL DEFAULT 0,
  "charged_atomic" BIGINT NOT NULL,
  "written_off_atomic" BIGINT NOT NULL DEFAULT 0,
  "signature" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "used_at" TIMESTAMPTZ(3),
  "claim_sent_at" TIMESTAMPTZ(3),
  "claim_failed_at" TIMESTAMPTZ(3),
  "refund_atomic" BIGINT NOT NULL DEFAULT 0,
  "refund_number" BIGINT,
  "refund_asked_at" TIMESTAMPTZ(3),
  "refund_is_public" BOOLEAN NOT NULL DEFAULT false,
  "refund_sent_at" TIMESTAMPTZ(3),
  CONSTRAINT "channel_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "channel_amounts_not_negative" CHECK (
    "balance_atomic" >= 0 AND "withdrawing_atomic" >= 0 AND "claimed_atomic" >= 0 AND "opened_atomic" >= 0
    AND "charged_atomic" >= "opened_atomic"
  ),
  CONSTRAINT "channel_refund_not_negative" CHECK ("refund_atomic" >= 0),
  CONSTRAINT "channel_written_off_not_negative" CHECK ("written_off_atomic" >= 0)
);

CREATE INDEX "channel_payer_idx" ON "channel"("payer");
CREATE INDEX "channel_receiver_token_idx" ON "channel"("receiver", "token");

-- Few channels have anything to claim, however many there are. Many of those have little, and are claimed only when their payers
-- leave.
CREATE INDEX "channel_to_claim_idx" ON "channel"("network", ("charged_atomic" - "claimed_atomic"))
  WHERE "charged_atomic" > "claimed_atomic";
CREATE INDEX "channel_leaving_idx" ON "channel"("network")
  WHERE "charged_atomic" > "claimed_atomic" AND "withdrawing_atomic" > 0;
CREATE INDEX "channel_unclaimable_idx" ON "channel"("claim_failed_at")
  WHERE "charged_atomic" > "claimed_atomic" AND "claim_failed_at" IS NOT NULL;
-- What is left in channels that nobody uses is paid back, unless it is too little.
CREATE INDEX "channel_idle_idx" ON "channel"("network", (COALESCE("used_at", "created_at")))
  WHERE "balance_atomic" - "charged_atomic" >= 100000;
-- Few refunds are open, and few are asked for in an hour.
CREATE INDEX "channel_to_refund_idx" ON "channel"("network") WHERE "refund_number" >= "refund_nonce";
CREATE INDEX "channel_refund_asked_idx" ON "channel"("network", "refund_asked_at") WHERE "refund_asked_at" IS NOT NULL;

-- What was spent stays spent: a lower total would let a voucher buy twice.
CREATE FUNCTION "refuse_lower_total"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'channel % may not be charged less than before', NEW."id" USING ERRCODE = 'check_violation';
END;
$$;

CREATE TRIGGER "channel_total_only_rises" BEFORE UPDATE ON "channel"
  FOR EACH ROW WHEN (NEW."charged_atomic" < OLD."charged_atomic" OR NEW."opened_atomic" <> OLD."opened_atomic")
  EXECUTE FUNCTION "refuse_lower_total"();

-- What is promised back stays promised until the contract has counted that refund: its signature may be on its way.
CREATE FUNCTION "refuse_other_refund"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the open refund of channel % may not be changed', NEW."id" USING ERRCODE = 'check_violation';
END;
$$;

CREATE TRIGGER "channel_refund_stays" BEFORE UPDATE ON "channel"
  FOR EACH ROW WHEN (OLD."refund_number" >= NEW."refund_nonce"
    AND (NEW."refund_atomic", NEW."refund_number") IS DISTINCT FROM (OLD."refund_atomic", OLD."refund_number"))
  EXECUTE FUNCTION "refuse_other_refund"();

CREATE TABLE "published_voucher" (
  "channel_id" TEXT NOT NULL,
  "total_atomic" BIGINT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "published_voucher_pkey" PRIMARY KEY ("channel_id","total_atomic"),
  CONSTRAINT "published_voucher_channel_id_fkey" FOREIGN KEY ("channel_id")
    REFERENCES "channel"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

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
  CONSTRAINT "channel_event_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "channel_event_channel_id_fkey" FOREIGN KEY ("channel_id")
    REFERENCES "channel"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE INDEX "channel_event_channel_id_idx" ON "channel_event"("channel_id");
CREATE UNIQUE INDEX "channel_event_network_transaction_hash_log_index_key"
  ON "channel_event"("network", "transaction_hash", "log_index");

CREATE TABLE "channel_write_off" (
  "id" BIGSERIAL NOT NULL,
  "channel_id" TEXT NOT NULL,
  "amount_atomic" BIGINT NOT NULL,
  "note" TEXT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "channel_write_off_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "channel_write_off_channel_id_fkey" FOREIGN KEY ("channel_id")
    REFERENCES "channel"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "channel_write_off_of_something" CHECK ("amount_atomic" <> 0)
);

CREATE INDEX "channel_write_off_channel_id_idx" ON "channel_write_off"("channel_id");

CREATE TABLE "channel_watch" (
  "network" TEXT NOT NULL,
  "final_block" BIGINT NOT NULL,
  "seen_block" BIGINT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "channel_watch_pkey" PRIMARY KEY ("network")
);

------------------------------------------------------------------------------------------------------------------------
-- lib/ledger: paid calls
------------------------------------------------------------------------------------------------------------------------

CREATE TYPE "paid_call_state" AS ENUM (
  'claimed', 'settling', 'settled', 'delivered', 'kept', 'refused', 'unknown', 'needs_attention', 'refunded'
);

CREATE TYPE "paid_call_step" AS ENUM (
  'claimed', 'prepared', 'settling', 'settled', 'delivered', 'kept', 'refused', 'unknown', 'needs_attention', 'refunded'
);

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
  "request_digest" BYTEA,
  "idempotency_key_hash" BYTEA,
  "claim_token_hash" BYTEA,
  "state" "paid_call_state" NOT NULL,
  "input" BYTEA,
  "prepared" BYTEA,
  "payment" BYTEA,
  "valid_before" TIMESTAMPTZ(3) NOT NULL,
  "transaction_hash" TEXT,
  "settlement_id" TEXT,
  "refusal_reason" TEXT,
  "answer_status" INTEGER,
  "answer" BYTEA,
  "answer_expires_at" TIMESTAMPTZ(3),
  "worked_by" TEXT,
  "attempt_at" TIMESTAMPTZ(3) NOT NULL,
  "queued_for_signer_at" TIMESTAMPTZ(3),
  "channel_id" TEXT,
  "reorganizations" INTEGER NOT NULL DEFAULT 0,
  "credited_account" TEXT,
  "refusal_final_at" TIMESTAMPTZ(3),
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "moved_at" TIMESTAMPTZ(3) NOT NULL,
  "move_note" TEXT,
  CONSTRAINT "paid_call_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "paid_call_settlement_id_fkey" FOREIGN KEY ("settlement_id")
    REFERENCES "settlement_transaction"("id") ON DELETE SET NULL ON UPDATE CASCADE,
  CONSTRAINT "paid_call_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channel"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "paid_call_amount_positive" CHECK ("amount_atomic" > 0)
);

CREATE INDEX "paid_call_state_attempt_at_idx" ON "paid_call"("state", "attempt_at");
CREATE INDEX "paid_call_settlement_id_idx" ON "paid_call"("settlement_id");
CREATE UNIQUE INDEX "paid_call_network_asset_payer_authorization_key" ON "paid_call"("network", "asset", "payer", "authorization");
CREATE UNIQUE INDEX "paid_call_payer_idempotency_key_hash_key" ON "paid_call"("payer", "idempotency_key_hash");

-- On Solana the hash of its message identifies a payment, even if another payer is recorded for it: one transfer pays for one call.
CREATE UNIQUE INDEX "paid_call_solana_payment_once" ON "paid_call"("network", "asset", "authorization")
  WHERE "network" IN ('solana-mainnet', 'solana-devnet');

-- Every move of a call writes its entries in the indexes again, so an index of paid_call holds only the calls that are looked for.
--
-- Calls that wait for a process with a settlement key.
CREATE INDEX "paid_call_queued_for_signer_idx" ON "paid_call"("network", "queued_for_signer_at")
  WHERE "queued_for_signer_at" IS NOT NULL;
-- Refused calls whose payment could still be used.
CREATE INDEX "paid_call_refusal_open_idx" ON "paid_call"("valid_before") WHERE "state" = 'refused' AND "refusal_final_at" IS NULL;
-- Answers to erase.
CREATE INDEX "paid_call_answer_expires_at_idx" ON "paid_call"("answer_expires_at") WHERE "answer" IS NOT NULL;
-- Transactions of third parties that are not recorded as settlements yet.
CREATE INDEX "paid_call_transaction_idx" ON "paid_call"("transaction_hash")
  WHERE "settlement_id" IS NULL AND "transaction_hash" IS NOT NULL;
-- What operators look for: calls that go well are never in it.
CREATE INDEX "paid_call_rare_idx" ON "paid_call"("state", "created_at", "id")
  WHERE "state" IN ('kept', 'refused', 'unknown', 'needs_attention', 'refunded');
-- What wallets list, newest first: calls from the moment when they may be paid. Accounts have their statement instead.
CREATE INDEX "paid_call_of_wallet_idx" ON "paid_call"("payer", "created_at", "id")
  WHERE "network" <> 'account' AND "state" IN ('settled', 'delivered', 'kept', 'needs_attention', 'refunded', 'unknown');

CREATE TABLE "paid_call_move" (
  "id" BIGSERIAL NOT NULL,
  "paid_call_id" TEXT NOT NULL,
  "from_state" "paid_call_step",
  "to_state" "paid_call_step" NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "note" TEXT,
  CONSTRAINT "paid_call_move_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "paid_call_move_paid_call_id_fkey" FOREIGN KEY ("paid_call_id")
    REFERENCES "paid_call"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE INDEX "paid_call_move_paid_call_id_idx" ON "paid_call_move"("paid_call_id");

-- Operators list calls in order of time. That order comes from the first moves, which never change: one entry for each call.
CREATE INDEX "paid_call_move_first_idx" ON "paid_call_move"("at", "paid_call_id") WHERE "from_state" IS NULL;
-- The calls that have lost a pre-confirmed payment are few.
CREATE INDEX "paid_call_move_lost_idx" ON "paid_call_move"("at") WHERE "note" = 'preconfirmation_lost';

CREATE TABLE "gas_in_vain" (
  "settlement_id" TEXT NOT NULL,
  "paid_call_id" TEXT NOT NULL,
  "network" TEXT NOT NULL,
  "payer" TEXT NOT NULL,
  "code" TEXT,
  "gas" BIGINT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "gas_in_vain_pkey" PRIMARY KEY ("settlement_id","paid_call_id"),
  CONSTRAINT "gas_in_vain_settlement_id_fkey" FOREIGN KEY ("settlement_id")
    REFERENCES "settlement_transaction"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "gas_in_vain_paid_call_id_fkey" FOREIGN KEY ("paid_call_id")
    REFERENCES "paid_call"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE INDEX "gas_in_vain_network_payer_at_idx" ON "gas_in_vain"("network", "payer", "at");
CREATE INDEX "gas_in_vain_network_code_at_idx" ON "gas_in_vain"("network", "code", "at");
CREATE INDEX "gas_in_vain_network_at_idx" ON "gas_in_vain"("network", "at");

CREATE TABLE "transfer_without_call" (
  "id" TEXT NOT NULL,
  "network" TEXT NOT NULL,
  "asset" TEXT NOT NULL,
  "payer" TEXT NOT NULL,
  "authorization" TEXT NOT NULL,
  "amount_atomic" BIGINT NOT NULL,
  "pay_to" TEXT NOT NULL,
  "transaction_hash" TEXT,
  "operation" TEXT NOT NULL,
  "found_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "transfer_without_call_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "transfer_without_call_network_asset_payer_authorization_key"
  ON "transfer_without_call"("network", "asset", "payer", "authorization");

-- The legal moves of lib/ledger/states.ts, held by the database as well, for the same reason as those of settlements.
CREATE TABLE "legal_move" (
  "from_state" "paid_call_state" NOT NULL,
  "to_state" "paid_call_state" NOT NULL,
  PRIMARY KEY ("from_state", "to_state")
);

INSERT INTO "legal_move" ("from_state", "to_state") VALUES
  ('claimed', 'settling'), ('claimed', 'refused'),
  ('settling', 'settled'), ('settling', 'refused'), ('settling', 'unknown'),
  ('settled', 'delivered'), ('settled', 'kept'), ('settled', 'unknown'), ('settled', 'needs_attention'),
  ('delivered', 'unknown'), ('delivered', 'refunded'),
  ('kept', 'unknown'), ('kept', 'refunded'),
  ('refused', 'claimed'), ('refused', 'settled'),
  ('unknown', 'settling'), ('unknown', 'settled'), ('unknown', 'refused'),
  ('needs_attention', 'delivered'), ('needs_attention', 'kept'), ('needs_attention', 'unknown'), ('needs_attention', 'refunded');

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

-- A call begins as claimed. One with nothing to prepare goes on to settling in the statement that claims it.
CREATE FUNCTION "refuse_illegal_beginning"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'paid call % may not begin as %', NEW."id", NEW."state" USING ERRCODE = 'check_violation';
END;
$$;

CREATE TRIGGER "paid_call_legal_beginning" BEFORE INSERT ON "paid_call"
  FOR EACH ROW WHEN (NEW."state" NOT IN ('claimed', 'settling')) EXECUTE FUNCTION "refuse_illegal_beginning"();

-- A payment that the books did not know is booked once an operator has found it on the chain and it is final there. It was never
-- submitted by us, belongs to no request, and is never delivered. The unique key of a payment lets it be booked once.
CREATE FUNCTION "refuse_illegal_transfer"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' AND (NEW."state" <> 'settling' OR NEW."payment" IS NOT NULL OR NEW."input" IS NOT NULL
      OR NEW."idempotency_key_hash" IS NOT NULL) THEN
    RAISE EXCEPTION 'transfer % may not begin like a call', NEW."id" USING ERRCODE = 'check_violation';
  ELSIF TG_OP = 'UPDATE' AND NEW."state" NOT IN ('settled', 'needs_attention', 'kept', 'refunded') THEN
    RAISE EXCEPTION 'transfer % may not be %', NEW."id", NEW."state" USING ERRCODE = 'check_violation';
  ELSIF NOT EXISTS (
    SELECT FROM "settlement_transaction" WHERE "id" = NEW."settlement_id" AND "state" = 'confirmed' AND "final_at" IS NOT NULL
  ) THEN
    RAISE EXCEPTION 'a transfer that is not final cannot be booked' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER "paid_call_legal_transfer" BEFORE INSERT ON "paid_call"
  FOR EACH ROW WHEN (NEW."operation" = 'transfers.unmatched') EXECUTE FUNCTION "refuse_illegal_transfer"();
CREATE TRIGGER "paid_call_legal_transfer_move" BEFORE UPDATE OF "state" ON "paid_call"
  FOR EACH ROW WHEN (NEW."operation" = 'transfers.unmatched') EXECUTE FUNCTION "refuse_illegal_transfer"();

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

------------------------------------------------------------------------------------------------------------------------
-- lib/ledger: the books
------------------------------------------------------------------------------------------------------------------------

-- Accounts of the ledger: a type of their own, and one function for each kind of account. Nothing else makes one.
CREATE DOMAIN "ledger_account" AS text
  CHECK (split_part(VALUE, ':', 1) IN ('chain', 'expense', 'prepaid', 'revenue', 'account', 'receivable'));

-- Our token account on a network: what was paid to us there.
CREATE FUNCTION "treasury_account"(network text) RETURNS "ledger_account" LANGUAGE sql IMMUTABLE
  AS $$ SELECT 'chain:' || network || ':treasury' $$;
-- What was spent by vouchers and not claimed yet: ours, but held by the contract.
CREATE FUNCTION "unclaimed_account"(network text) RETURNS "ledger_account" LANGUAGE sql IMMUTABLE
  AS $$ SELECT 'chain:' || network || ':unclaimed' $$;
-- What was claimed and not swept: the contract owes it to our payee.
CREATE FUNCTION "claimed_account"(network text) RETURNS "ledger_account" LANGUAGE sql IMMUTABLE
  AS $$ SELECT 'chain:' || network || ':claimed' $$;
-- What was spent by vouchers and the contract cannot pay: lost, unless the payer deposits again.
CREATE FUNCTION "unclaimable_expense_account"(network text) RETURNS "ledger_account" LANGUAGE sql IMMUTABLE
  AS $$ SELECT 'expense:unclaimable:' || network $$;
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
-- Deposits that were credited and whose settlement a reorganization took away: owed to us until it is settled again.
CREATE FUNCTION "reorganized_deposits_account"() RETURNS "ledger_account" LANGUAGE sql IMMUTABLE
  AS $$ SELECT 'receivable:reorganized-deposits' $$;

CREATE TABLE "posting" (
  "id" BIGSERIAL NOT NULL,
  "paid_call_id" TEXT,
  "settlement_id" TEXT,
  "channel_event_id" BIGINT,
  "channel_write_off_id" BIGINT,
  "kind" TEXT NOT NULL,
  "debit_account" "ledger_account" NOT NULL,
  "credit_account" "ledger_account" NOT NULL,
  "amount_atomic" DECIMAL(78,0) NOT NULL,
  "unit" TEXT NOT NULL,
  "round" INTEGER NOT NULL DEFAULT 0,
  "at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "posting_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "posting_paid_call_id_fkey" FOREIGN KEY ("paid_call_id")
    REFERENCES "paid_call"("id") ON DELETE SET NULL ON UPDATE CASCADE,
  CONSTRAINT "posting_settlement_id_fkey" FOREIGN KEY ("settlement_id")
    REFERENCES "settlement_transaction"("id") ON DELETE SET NULL ON UPDATE CASCADE,
  CONSTRAINT "posting_channel_event_id_fkey" FOREIGN KEY ("channel_event_id")
    REFERENCES "channel_event"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "posting_channel_write_off_id_fkey" FOREIGN KEY ("channel_write_off_id")
    REFERENCES "channel_write_off"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  -- Money is counted in positive amounts and moves between two accounts.
  CONSTRAINT "posting_amount_positive" CHECK ("amount_atomic" > 0),
  CONSTRAINT "posting_two_accounts" CHECK ("debit_account" <> "credit_account")
);

CREATE UNIQUE INDEX "posting_channel_event_id_key" ON "posting"("channel_event_id");
CREATE UNIQUE INDEX "posting_channel_write_off_id_key" ON "posting"("channel_write_off_id");
CREATE UNIQUE INDEX "posting_paid_call_id_kind_round_key" ON "posting"("paid_call_id", "kind", "round");
CREATE UNIQUE INDEX "posting_settlement_id_kind_round_key" ON "posting"("settlement_id", "kind", "round");

-- Holders read what entered and left their account, newest first. Of all postings these are few.
CREATE INDEX "posting_account_credited" ON "posting"("credit_account", "id") WHERE "credit_account" LIKE 'account:%';
CREATE INDEX "posting_account_debited" ON "posting"("debit_account", "id") WHERE "debit_account" LIKE 'account:%';
-- Rows are written in order of time, so this index costs almost nothing to maintain.
CREATE INDEX "posting_at_idx" ON "posting" USING BRIN ("at") WITH (autosummarize = on);

CREATE TABLE "account_balance" (
  "account_id" TEXT NOT NULL,
  "balance_atomic" BIGINT NOT NULL,
  CONSTRAINT "account_balance_pkey" PRIMARY KEY ("account_id"),
  -- No account is ever overdrawn, whatever the program does.
  CONSTRAINT "account_balance_not_negative" CHECK ("balance_atomic" >= 0)
);

-- A call's record begins with the row itself.
CREATE FUNCTION "record_beginnings"() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE TRIGGER "paid_call_beginnings_recorded" AFTER INSERT ON "paid_call"
  REFERENCING NEW TABLE AS claimed FOR EACH STATEMENT EXECUTE FUNCTION "record_beginnings"();

-- Records the moves of a statement, and posts what they mean in money. For all calls of the statement together: a group of
-- calls costs little more than one.
CREATE FUNCTION "record_moves"() RETURNS trigger LANGUAGE plpgsql AS $$
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
      -- Credited before a reorganization, and settled again: what was owed to us is paid.
      ELSE "reorganized_deposits_account"()
    END,
    after."amount_atomic", 'usdc', after."moved_at"
  FROM before JOIN after USING ("id")
  WHERE before."state" <> after."state" AND after."state" IN ('settled', 'delivered', 'kept', 'refunded');

  -- A reorganization took settlements away.
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

CREATE TRIGGER "paid_call_moves_recorded" AFTER UPDATE ON "paid_call"
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION "record_moves"();

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

CREATE TRIGGER "settlement_transaction_fee_posted" AFTER UPDATE OF "state" ON "settlement_transaction"
  FOR EACH ROW WHEN (OLD."state" IS DISTINCT FROM NEW."state" AND 'confirmed' IN (OLD."state", NEW."state"))
  EXECUTE FUNCTION "record_fee"();

-- Posts what an event of the channel contract did to our money. It does not matter who sent the transaction.
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

-- A write-off is posted and counted in its channel by the statement that inserts it. A posting has a positive amount, so a negative
-- write-off is the same posting the other way around.
CREATE FUNCTION "post_channel_write_off"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "channel" SET "written_off_atomic" = "written_off_atomic" + NEW."amount_atomic" WHERE "id" = NEW."channel_id";
  INSERT INTO "posting" ("channel_write_off_id", "kind", "debit_account", "credit_account", "amount_atomic", "unit", "at")
  SELECT NEW."id",
    CASE WHEN NEW."amount_atomic" > 0 THEN 'written_off' ELSE 'written_off_reversed' END,
    CASE WHEN NEW."amount_atomic" > 0 THEN "unclaimable_expense_account"("network") ELSE "unclaimed_account"("network") END,
    CASE WHEN NEW."amount_atomic" > 0 THEN "unclaimed_account"("network") ELSE "unclaimable_expense_account"("network") END,
    abs(NEW."amount_atomic"), 'usdc', NEW."at"
  FROM "channel" WHERE "id" = NEW."channel_id";
  RETURN NULL;
END;
$$;

CREATE TRIGGER "channel_write_off_posted" AFTER INSERT ON "channel_write_off"
  FOR EACH ROW EXECUTE FUNCTION "post_channel_write_off"();

------------------------------------------------------------------------------------------------------------------------
-- lib/ledger: refunds
------------------------------------------------------------------------------------------------------------------------

CREATE TYPE "refund_state" AS ENUM ('requested', 'sent', 'confirmed', 'failed', 'cancelled');

CREATE TYPE "refund_method" AS ENUM ('wallet', 'transfer', 'account');

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
  "signable_until" TIMESTAMPTZ(3),
  "signable_until_height" BIGINT,
  "sent_until_height" BIGINT,
  "transaction_hash" TEXT,
  "transfer_index" INTEGER,
  "block_number" BIGINT,
  "block_hash" TEXT,
  "reorganizations" INTEGER NOT NULL DEFAULT 0,
  "check_at" TIMESTAMPTZ(3) NOT NULL,
  "requested_at" TIMESTAMPTZ(3) NOT NULL,
  "moved_at" TIMESTAMPTZ(3) NOT NULL,
  "move_note" TEXT,
  CONSTRAINT "refund_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "refund_paid_call_id_fkey" FOREIGN KEY ("paid_call_id")
    REFERENCES "paid_call"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "refund_amount_positive" CHECK ("amount_atomic" > 0),
  CONSTRAINT "refund_reason_known" CHECK ("reason" IN ('duplicate', 'not_delivered', 'requested_by_caller', 'other')),
  CONSTRAINT "refund_account_posted" CHECK (
    ("method" = 'account') = ("network" = 'account') AND ("method" <> 'account' OR "transaction_hash" IS NULL)
  ),
  -- What is sent names its transaction, and what is confirmed on a chain its block and its place there.
  CONSTRAINT "refund_transfer_named" CHECK (
    "method" = 'account'
    OR (("state" NOT IN ('sent', 'confirmed') OR "transaction_hash" IS NOT NULL)
      AND ("state" <> 'confirmed' OR ("transfer_index" IS NOT NULL AND "block_number" IS NOT NULL)))
  )
);

CREATE UNIQUE INDEX "refund_paid_call_id_round_key" ON "refund"("paid_call_id", "round");

-- One refund of a call at a time, and none after a confirmed one, even if several begin at once.
CREATE UNIQUE INDEX "refund_one_per_call" ON "refund"("paid_call_id") WHERE "state" IN ('requested', 'sent', 'confirmed');
-- A transfer is one refund.
CREATE UNIQUE INDEX "refund_transfer_once" ON "refund"("network", "transaction_hash", "transfer_index")
  WHERE "state" IN ('sent', 'confirmed');
-- The few rows that the chain is asked about again and again, and those that wait for the operator.
CREATE INDEX "refund_to_check_idx" ON "refund"("check_at") WHERE "state" IN ('requested', 'sent');
CREATE INDEX "refund_not_confirmed_idx" ON "refund"("moved_at") WHERE "state" IN ('requested', 'sent', 'failed');

CREATE TABLE "refund_move" (
  "id" BIGSERIAL NOT NULL,
  "refund_id" TEXT NOT NULL,
  "from_state" "refund_state",
  "to_state" "refund_state" NOT NULL,
  "transaction_hash" TEXT,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "note" TEXT,
  CONSTRAINT "refund_move_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "refund_move_refund_id_fkey" FOREIGN KEY ("refund_id") REFERENCES "refund"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE INDEX "refund_move_refund_id_idx" ON "refund_move"("refund_id");

-- The legal moves of lib/ledger/refund-states.ts. A test compares the two.
CREATE TABLE "legal_refund_move" (
  "from_state" "refund_state" NOT NULL,
  "to_state" "refund_state" NOT NULL,
  PRIMARY KEY ("from_state", "to_state")
);

INSERT INTO "legal_refund_move" ("from_state", "to_state") VALUES
  ('requested', 'sent'), ('requested', 'confirmed'), ('requested', 'cancelled'),
  ('sent', 'confirmed'), ('sent', 'failed'), ('sent', 'cancelled'),
  ('failed', 'cancelled');

-- Whether no reorganization can take a payment away any more, as far as the ledger knows.
--
-- A call that a payment channel paid for is paid when its price is claimed: until then the money is in the contract, and its payer
-- may take it away. `channel_event` has claims of final blocks only, so a claim that was undone is in neither sum. What was claimed
-- before the channel was first read is in `opened_atomic`, perhaps beside its events, so the newest figure of the chain has to say
-- the same. While the deposit of a call is not final in the ledger, the call could still fall back to `unknown`. A transaction that
-- another one has replaced takes nothing away.
CREATE FUNCTION "payment_is_final"(call "paid_call") RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN call."network" = 'account' THEN true
    WHEN call."channel_id" IS NULL THEN EXISTS (
      SELECT FROM "settlement_transaction"
      WHERE "id" = call."settlement_id" AND "state" = 'confirmed' AND "final_at" IS NOT NULL)
    ELSE NOT EXISTS (
      SELECT FROM "settlement_transaction"
      WHERE "id" = call."settlement_id" AND "final_at" IS NULL AND "state" <> 'replaced'
    ) AND EXISTS (
      SELECT FROM "channel"
      WHERE "id" = call."channel_id" AND split_part(call."authorization", ':', 2)::numeric <= LEAST("claimed_atomic",
        "opened_atomic" + (SELECT COALESCE(sum("amount_atomic"), 0) FROM "channel_event"
          WHERE "channel_id" = "channel"."id" AND "name" = 'Claimed')))
  END
$$;

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
  ELSIF NOT "payment_is_final"(call) THEN
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

CREATE TRIGGER "refund_legal_beginning" BEFORE INSERT ON "refund"
  FOR EACH ROW EXECUTE FUNCTION "refuse_illegal_refund"();

-- The terms of a refund never change, and it moves only as the table above allows.
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

CREATE TRIGGER "refund_legal_move" BEFORE UPDATE ON "refund"
  FOR EACH ROW EXECUTE FUNCTION "refuse_illegal_refund_move"();

CREATE FUNCTION "record_refund_move"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "refund_move" ("refund_id", "from_state", "to_state", "transaction_hash", "at", "note")
  VALUES (NEW."id", CASE WHEN TG_OP = 'UPDATE' THEN OLD."state" END, NEW."state", NEW."transaction_hash", NEW."moved_at",
    NEW."move_note");
  RETURN NULL;
END;
$$;

CREATE TRIGGER "refund_beginning_recorded" AFTER INSERT ON "refund"
  FOR EACH ROW EXECUTE FUNCTION "record_refund_move"();
CREATE TRIGGER "refund_move_recorded" AFTER UPDATE ON "refund"
  FOR EACH ROW WHEN (
    (OLD."state", OLD."transaction_hash", OLD."reorganizations")
      IS DISTINCT FROM (NEW."state", NEW."transaction_hash", NEW."reorganizations")
  ) EXECUTE FUNCTION "record_refund_move"();

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

CREATE TRIGGER "refund_completed" AFTER UPDATE OF "state" ON "refund"
  FOR EACH ROW WHEN (OLD."state" <> 'confirmed' AND NEW."state" = 'confirmed') EXECUTE FUNCTION "complete_refund"();

-- No call counts as refunded without a refund that is confirmed.
CREATE FUNCTION "refuse_refunded_without_refund"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM "refund" WHERE "paid_call_id" = NEW."id" AND "state" = 'confirmed') THEN
    RAISE EXCEPTION 'paid call % has no confirmed refund', NEW."id" USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER "paid_call_refunded_by_refund" BEFORE UPDATE OF "state" ON "paid_call"
  FOR EACH ROW WHEN (OLD."state" <> 'refunded' AND NEW."state" = 'refunded')
  EXECUTE FUNCTION "refuse_refunded_without_refund"();

-- A deposit that is being refunded, or was, does not enter its account as well, however late its delivery comes. The call is
-- locked by then, as it is when a refund begins, so whichever is second sees the first. The update leaves such a call out
-- instead of failing, because it moves other calls too.
CREATE FUNCTION "leave_out_refunded_deposit"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM "refund" WHERE "paid_call_id" = NEW."id" AND "state" IN ('requested', 'sent', 'confirmed')
  ) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER "paid_call_credited_without_refund" BEFORE UPDATE OF "credited_account" ON "paid_call"
  FOR EACH ROW WHEN (OLD."credited_account" IS NULL AND NEW."credited_account" IS NOT NULL)
  EXECUTE FUNCTION "leave_out_refunded_deposit"();

------------------------------------------------------------------------------------------------------------------------
-- lib/ledger: its rows stay
------------------------------------------------------------------------------------------------------------------------

-- The states of these rows change, and the rows are never removed.
CREATE TRIGGER "paid_call_kept" BEFORE DELETE ON "paid_call"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "paid_call_not_emptied" BEFORE TRUNCATE ON "paid_call"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "settlement_transaction_kept" BEFORE DELETE ON "settlement_transaction"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "settlement_transaction_not_emptied" BEFORE TRUNCATE ON "settlement_transaction"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "transfer_without_call_kept" BEFORE DELETE ON "transfer_without_call"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "transfer_without_call_not_emptied" BEFORE TRUNCATE ON "transfer_without_call"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "channel_kept" BEFORE DELETE ON "channel"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "channel_not_emptied" BEFORE TRUNCATE ON "channel"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "account_balance_kept" BEFORE DELETE ON "account_balance"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "account_balance_not_emptied" BEFORE TRUNCATE ON "account_balance"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "refund_kept" BEFORE DELETE ON "refund"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "refund_not_emptied" BEFORE TRUNCATE ON "refund"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();

-- These are records of what happened: never changed, and a correction is another row.
CREATE TRIGGER "posting_append_only" BEFORE UPDATE OR DELETE ON "posting"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "posting_not_emptied" BEFORE TRUNCATE ON "posting"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "paid_call_move_append_only" BEFORE UPDATE OR DELETE ON "paid_call_move"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "paid_call_move_not_emptied" BEFORE TRUNCATE ON "paid_call_move"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "refund_move_append_only" BEFORE UPDATE OR DELETE ON "refund_move"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "refund_move_not_emptied" BEFORE TRUNCATE ON "refund_move"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "channel_event_kept" BEFORE UPDATE OR DELETE ON "channel_event"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "channel_write_off_kept" BEFORE UPDATE OR DELETE OR TRUNCATE ON "channel_write_off"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();

-- Only triggers write these.
CREATE TRIGGER "posting_by_trigger_only" BEFORE INSERT ON "posting"
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "refuse_direct_insert"();
CREATE TRIGGER "paid_call_move_by_trigger_only" BEFORE INSERT ON "paid_call_move"
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "refuse_direct_insert"();
CREATE TRIGGER "refund_move_by_trigger_only" BEFORE INSERT ON "refund_move"
  FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION "refuse_direct_insert"();

------------------------------------------------------------------------------------------------------------------------
-- lib/payments: signed receipts, sign-in
------------------------------------------------------------------------------------------------------------------------

CREATE TABLE "receipt_key" (
  "id" TEXT NOT NULL,
  "public_key" BYTEA NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "revoked_at" TIMESTAMPTZ(3),
  CONSTRAINT "receipt_key_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "receipt_key_public_key_key" ON "receipt_key"("public_key");

-- A key is recorded once and may be revoked once. Receipts that it signed name it for ever.
CREATE FUNCTION "keep_receipt_key"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD."revoked_at" IS NULL
    AND (NEW."id", NEW."public_key", NEW."created_at") = (OLD."id", OLD."public_key", OLD."created_at") THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '% on receipt_key is refused: only revoked_at may be set, once', TG_OP
    USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER "receipt_key_kept" BEFORE UPDATE OR DELETE ON "receipt_key"
  FOR EACH ROW EXECUTE FUNCTION "keep_receipt_key"();

CREATE TABLE "used_sign_in" (
  "nonce" BYTEA NOT NULL,
  "forget_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "used_sign_in_pkey" PRIMARY KEY ("nonce")
);

CREATE INDEX "used_sign_in_forget_at_idx" ON "used_sign_in"("forget_at");

------------------------------------------------------------------------------------------------------------------------
-- lib/services: uploads
------------------------------------------------------------------------------------------------------------------------

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
  "reserved_renewals" INTEGER NOT NULL DEFAULT 0,
  "is_deletion_reserved" BOOLEAN NOT NULL DEFAULT false,
  "is_renewable" BOOLEAN NOT NULL DEFAULT true,
  "deleted_at" TIMESTAMPTZ(3),
  "deleted_by" TEXT,
  "taken_down_at" TIMESTAMPTZ(3),
  "erased_at" TIMESTAMPTZ(3),
  CONSTRAINT "upload_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "upload_reserved_renewals_not_negative" CHECK ("reserved_renewals" >= 0)
);

CREATE UNIQUE INDEX "upload_paid_call_id_key" ON "upload"("paid_call_id");
CREATE UNIQUE INDEX "upload_link_token_key" ON "upload"("link_token");
CREATE UNIQUE INDEX "upload_deleted_by_key" ON "upload"("deleted_by");

-- Expiry looks for what is over and not yet erased. These indexes hold only that, so that a run with nothing to do costs the same
-- after a million uploads as after the first.
CREATE INDEX "upload_expires_at_idx" ON "upload"("expires_at") WHERE "deleted_at" IS NULL AND "erased_at" IS NULL;
CREATE INDEX "upload_deleted_at_idx" ON "upload"("deleted_at") WHERE "deleted_at" IS NOT NULL AND "erased_at" IS NULL;
CREATE INDEX "upload_taken_down_idx" ON "upload"("taken_down_at") WHERE "taken_down_at" IS NOT NULL AND "deleted_at" IS NULL;
-- An owner lists what is not deleted.
CREATE INDEX "upload_owner_created_at_id_idx" ON "upload"("owner", "created_at", "id") WHERE "deleted_at" IS NULL;

CREATE TABLE "upload_renewal" (
  "paid_call_id" TEXT NOT NULL,
  "upload_id" TEXT NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "renewal_count" INTEGER NOT NULL,
  CONSTRAINT "upload_renewal_pkey" PRIMARY KEY ("paid_call_id"),
  CONSTRAINT "upload_renewal_upload_id_fkey" FOREIGN KEY ("upload_id")
    REFERENCES "upload"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE INDEX "upload_renewal_upload_id_idx" ON "upload_renewal"("upload_id");

CREATE TABLE "upload_reservation" (
  "paid_call_id" TEXT NOT NULL,
  "upload_id" TEXT NOT NULL,
  "is_deletion" BOOLEAN NOT NULL,
  CONSTRAINT "upload_reservation_pkey" PRIMARY KEY ("paid_call_id"),
  CONSTRAINT "upload_reservation_upload_id_fkey" FOREIGN KEY ("upload_id")
    REFERENCES "upload"("id") ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE INDEX "upload_reservation_upload_id_idx" ON "upload_reservation"("upload_id");

-- A call that is over holds nothing, however it ended: reservations are released in the same transaction, so that
-- no crash leaves a reservation behind. What delivered the call has released it already.
CREATE FUNCTION "release_upload_reservation"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH released AS (
    DELETE FROM "upload_reservation" WHERE "paid_call_id" = NEW."id" RETURNING "upload_id", "is_deletion"
  )
  UPDATE "upload" SET
    "reserved_renewals" = "reserved_renewals" - CASE WHEN released."is_deletion" THEN 0 ELSE 1 END,
    "is_deletion_reserved" = "is_deletion_reserved" AND NOT released."is_deletion"
  FROM released WHERE "upload"."id" = released."upload_id";
  RETURN NULL;
END;
$$;

CREATE TRIGGER "paid_call_releases_upload" AFTER UPDATE OF "state" ON "paid_call"
  FOR EACH ROW WHEN (
    OLD."state" IS DISTINCT FROM NEW."state"
    AND NEW."state" IN ('delivered', 'kept', 'refused', 'needs_attention', 'refunded')
    AND NEW."operation" IN ('uploads.renew', 'uploads.delete')
  ) EXECUTE FUNCTION "release_upload_reservation"();

CREATE TABLE "held_file" (
  "id" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "erased_at" TIMESTAMPTZ(3),
  CONSTRAINT "held_file_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "held_file_created_at_idx" ON "held_file"("created_at");

CREATE TABLE "link_traffic" (
  "upload_id" TEXT NOT NULL,
  "day" DATE NOT NULL,
  "downloads" INTEGER NOT NULL,
  "bytes" BIGINT NOT NULL,
  CONSTRAINT "link_traffic_pkey" PRIMARY KEY ("upload_id","day")
);

CREATE INDEX "link_traffic_day_idx" ON "link_traffic"("day");

------------------------------------------------------------------------------------------------------------------------
-- lib/services: forms
------------------------------------------------------------------------------------------------------------------------

CREATE TABLE "form" (
  "id" TEXT NOT NULL,
  "paid_call_id" TEXT NOT NULL,
  "owner" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "read_token_hash" BYTEA NOT NULL,
  "content" JSONB,
  "closes_at" TIMESTAMPTZ(3) NOT NULL,
  "readable_until" TIMESTAMPTZ(3) NOT NULL,
  "max_responses" INTEGER NOT NULL,
  "response_count" INTEGER NOT NULL DEFAULT 0,
  "taken_down_at" TIMESTAMPTZ(3),
  "erased_at" TIMESTAMPTZ(3),
  CONSTRAINT "form_pkey" PRIMARY KEY ("id"),
  -- A form never holds more responses than its maximum.
  CONSTRAINT "form_not_overfull" CHECK ("response_count" BETWEEN 0 AND "max_responses"),
  -- What is erased has no content left.
  CONSTRAINT "form_erased_whole" CHECK (("erased_at" IS NULL) = ("content" IS NOT NULL))
);

CREATE UNIQUE INDEX "form_paid_call_id_key" ON "form"("paid_call_id");

-- Nothing looks for forms that are erased. Without them these indexes stay small.
CREATE INDEX "form_readable_until_idx" ON "form"("readable_until") WHERE "erased_at" IS NULL;
CREATE INDEX "form_owner_created_at_id_idx" ON "form"("owner", "created_at", "id") WHERE "erased_at" IS NULL;
CREATE INDEX "form_taken_down_idx" ON "form"("taken_down_at") WHERE "taken_down_at" IS NOT NULL AND "erased_at" IS NULL;

CREATE TABLE "form_response" (
  "id" TEXT NOT NULL,
  "form_id" TEXT NOT NULL,
  "number" INTEGER NOT NULL,
  "nonce" TEXT NOT NULL,
  "answers" BYTEA NOT NULL,
  "submitted_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "form_response_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "form_response_form_id_fkey" FOREIGN KEY ("form_id") REFERENCES "form"("id") ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT "form_response_numbered" CHECK ("number" > 0)
);

CREATE UNIQUE INDEX "form_response_form_id_number_key" ON "form_response"("form_id", "number");
CREATE UNIQUE INDEX "form_response_form_id_nonce_key" ON "form_response"("form_id", "nonce");

------------------------------------------------------------------------------------------------------------------------
-- lib/services: prepaid accounts, reports of abuse
------------------------------------------------------------------------------------------------------------------------

CREATE TABLE "account" (
  "id" TEXT NOT NULL,
  "token_hash" BYTEA,
  "next_token_hash" BYTEA,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "revoked_at" TIMESTAMPTZ(3),
  CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "account_token_hash_key" ON "account"("token_hash");
CREATE UNIQUE INDEX "account_next_token_hash_key" ON "account"("next_token_hash");

CREATE TABLE "abuse_report" (
  "id" TEXT NOT NULL,
  "target_kind" TEXT NOT NULL,
  "target_id" TEXT NOT NULL,
  "reason" TEXT NOT NULL,
  "details" BYTEA,
  "reported_at" TIMESTAMPTZ(3) NOT NULL,
  "closed_at" TIMESTAMPTZ(3),
  CONSTRAINT "abuse_report_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "abuse_report_closed_without_details" CHECK ("closed_at" IS NULL OR "details" IS NULL)
);

CREATE INDEX "abuse_report_target_kind_target_id_idx" ON "abuse_report"("target_kind", "target_id");

-- The operator's worklist has the open ones.
CREATE INDEX "abuse_report_open_idx" ON "abuse_report"("reported_at", "id") WHERE "closed_at" IS NULL;

------------------------------------------------------------------------------------------------------------------------
-- lib/jobs
------------------------------------------------------------------------------------------------------------------------

CREATE TABLE "turn" (
  "job" TEXT NOT NULL,
  "due_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "turn_pkey" PRIMARY KEY ("job")
);

------------------------------------------------------------------------------------------------------------------------
-- lib/operator
------------------------------------------------------------------------------------------------------------------------

CREATE TABLE "daily_figures" (
  "day" DATE NOT NULL,
  "figures" JSONB NOT NULL,
  CONSTRAINT "daily_figures_pkey" PRIMARY KEY ("day")
);

CREATE TABLE "operator_session" (
  "id" TEXT NOT NULL,
  "started_at" TIMESTAMPTZ(3) NOT NULL,
  "seen_at" TIMESTAMPTZ(3) NOT NULL,
  "ended_at" TIMESTAMPTZ(3),
  CONSTRAINT "operator_session_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "operator_action" (
  "id" BIGSERIAL NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
  "actor" TEXT NOT NULL,
  "address" TEXT,
  "action" TEXT NOT NULL,
  "target_kind" TEXT,
  "target_id" TEXT,
  "reason" TEXT,
  "note" TEXT,
  "before" JSONB,
  "after" JSONB,
  "correlation_id" TEXT NOT NULL,
  CONSTRAINT "operator_action_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "operator_action_target_kind_target_id_id_idx" ON "operator_action"("target_kind", "target_id", "id");
CREATE INDEX "operator_action_actor_id_idx" ON "operator_action"("actor", "id");
CREATE INDEX "operator_action_action_id_idx" ON "operator_action"("action", "id");

CREATE TRIGGER "operator_action_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "operator_action"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
