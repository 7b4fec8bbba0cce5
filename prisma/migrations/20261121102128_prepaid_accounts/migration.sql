-- DropTable
DROP TABLE "form_address_salt";

-- DropTable
DROP TABLE "form_attempt";

-- CreateTable
CREATE TABLE "account" (
    "id" TEXT NOT NULL,
    "token_hash" BYTEA,
    "next_token_hash" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "account_balance" (
    "account_id" TEXT NOT NULL,
    "balance_atomic" BIGINT NOT NULL,

    CONSTRAINT "account_balance_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "attempt" (
    "key" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL,

    CONSTRAINT "attempt_pkey" PRIMARY KEY ("key","since")
);

-- CreateTable
CREATE TABLE "address_salt" (
    "day" DATE NOT NULL,
    "salt" BYTEA NOT NULL,

    CONSTRAINT "address_salt_pkey" PRIMARY KEY ("day")
);

-- CreateIndex
CREATE UNIQUE INDEX "account_token_hash_key" ON "account"("token_hash");

-- CreateIndex
CREATE UNIQUE INDEX "account_next_token_hash_key" ON "account"("next_token_hash");

-- CreateIndex
CREATE INDEX "attempt_since_idx" ON "attempt"("since");

-- By hand from here on: what schema.prisma cannot say.

-- No account is ever overdrawn, whatever the program does.
ALTER TABLE "account_balance" ADD CONSTRAINT "account_balance_not_negative" CHECK ("balance_atomic" >= 0);

CREATE TRIGGER "account_balance_kept" BEFORE DELETE ON "account_balance"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "account_balance_not_emptied" BEFORE TRUNCATE ON "account_balance"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();

-- What entered and left an account is told to its holder, newest first; of all postings these are few.
CREATE INDEX "posting_account_credited" ON "posting"("credit_account", "id") WHERE "credit_account" LIKE 'account:%';
CREATE INDEX "posting_account_debited" ON "posting"("debit_account", "id") WHERE "debit_account" LIKE 'account:%';
