-- AlterTable
ALTER TABLE "form" ADD COLUMN     "created_at" TIMESTAMPTZ(3),
ADD COLUMN     "owner" TEXT;

-- The forms that exist belong to whoever paid for them.
UPDATE "form" SET "owner" = "paid_call"."payer", "created_at" = "paid_call"."created_at"
FROM "paid_call" WHERE "paid_call"."id" = "form"."paid_call_id";

ALTER TABLE "form" ALTER COLUMN "created_at" SET NOT NULL,
ALTER COLUMN "owner" SET NOT NULL;

-- CreateTable
CREATE TABLE "used_sign_in" (
    "nonce" BYTEA NOT NULL,
    "forget_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "used_sign_in_pkey" PRIMARY KEY ("nonce")
);

-- CreateIndex
CREATE INDEX "used_sign_in_forget_at_idx" ON "used_sign_in"("forget_at");

-- CreateIndex
CREATE INDEX "form_owner_created_at_id_idx" ON "form"("owner", "created_at", "id") WHERE "erased_at" IS NULL;

-- By hand from here on: what schema.prisma cannot say.

-- The calls that wallets list, newest first. An entry in an index of paid_call is written again at every move, so this one
-- holds calls only from the moment when they may be paid: two entries for most of them. Accounts have their statement.
CREATE INDEX "paid_call_of_wallet_idx" ON "paid_call"("payer", "created_at", "id")
  WHERE "network" <> 'account' AND "state" IN ('settled', 'delivered', 'kept', 'needs_attention', 'refunded', 'unknown');
