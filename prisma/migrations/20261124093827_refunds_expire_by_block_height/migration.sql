-- AlterTable
ALTER TABLE "refund" ADD COLUMN     "sent_until_height" BIGINT,
ADD COLUMN     "signable_until_height" BIGINT;
