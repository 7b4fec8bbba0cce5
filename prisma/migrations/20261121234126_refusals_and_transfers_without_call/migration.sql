-- CreateTable
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

-- CreateIndex
CREATE UNIQUE INDEX "transfer_without_call_network_asset_payer_authorization_key" ON "transfer_without_call"("network", "asset", "payer", "authorization");

-- By hand from here on: what schema.prisma cannot say.

CREATE TRIGGER "transfer_without_call_kept" BEFORE DELETE ON "transfer_without_call"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "transfer_without_call_not_emptied" BEFORE TRUNCATE ON "transfer_without_call"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
