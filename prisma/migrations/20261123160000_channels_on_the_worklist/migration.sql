-- AlterTable
ALTER TABLE "channel" ADD COLUMN     "claim_failed_at" TIMESTAMPTZ(3);
