-- AlterTable
ALTER TABLE "channel" ADD COLUMN     "opened_at_block" BIGINT NOT NULL DEFAULT 0;
