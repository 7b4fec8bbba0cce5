-- AlterTable
ALTER TABLE "refund" ADD COLUMN     "signable_until" TIMESTAMPTZ(3);
