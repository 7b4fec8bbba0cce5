-- DropIndex
DROP INDEX "posting_paid_call_id_kind_key";

-- DropIndex
DROP INDEX "posting_settlement_id_kind_key";

-- AlterTable
ALTER TABLE "instance" ADD COLUMN     "settles" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "paid_call" ADD COLUMN     "handed_over_at" TIMESTAMPTZ(3),
ADD COLUMN     "refusal_final_at" TIMESTAMPTZ(3),
ADD COLUMN     "reorganizations" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "posting" ADD COLUMN     "round" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "settlement_transaction" ADD COLUMN     "block_hash" TEXT,
ADD COLUMN     "final_at" TIMESTAMPTZ(3),
ADD COLUMN     "reorganizations" INTEGER NOT NULL DEFAULT 0,
ALTER COLUMN "signer" DROP NOT NULL,
ALTER COLUMN "raw" DROP NOT NULL;

-- CreateTable
CREATE TABLE "settlement_signer" (
    "network" TEXT NOT NULL,
    "signer" TEXT NOT NULL,
    "holder" TEXT,
    "next_nonce" BIGINT,
    "used_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "settlement_signer_pkey" PRIMARY KEY ("network","signer")
);

-- CreateIndex
CREATE UNIQUE INDEX "posting_paid_call_id_kind_round_key" ON "posting"("paid_call_id", "kind", "round");

-- CreateIndex
CREATE UNIQUE INDEX "posting_settlement_id_kind_round_key" ON "posting"("settlement_id", "kind", "round");

-- By hand from here on: what schema.prisma cannot say.

-- What a re-organization undoes falls back to unknown, and is settled once more.
INSERT INTO "legal_move" ("from_state", "to_state") VALUES
  ('delivered', 'unknown'),
  ('kept', 'unknown'),
  ('needs_attention', 'unknown');

-- The few rows that upkeep asks for again and again, apart from the many that it never needs.
CREATE INDEX "paid_call_handed_over_idx" ON "paid_call"("network", "handed_over_at") WHERE "handed_over_at" IS NOT NULL;
CREATE INDEX "paid_call_refusal_open_idx" ON "paid_call"("valid_before") WHERE "state" = 'refused' AND "refusal_final_at" IS NULL;
CREATE INDEX "settlement_transaction_open_idx" ON "settlement_transaction"("network", "created_at") WHERE "state" = 'prepared';
CREATE INDEX "settlement_transaction_not_final_idx" ON "settlement_transaction"("network", "block_number") WHERE "state" = 'confirmed' AND "final_at" IS NULL;

-- Settlements of before are old: nothing is known against them.
UPDATE "settlement_transaction" SET "final_at" = now() WHERE "state" = 'confirmed';
