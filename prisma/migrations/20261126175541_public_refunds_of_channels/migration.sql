-- AlterTable
ALTER TABLE "channel" ADD COLUMN     "refund_is_public" BOOLEAN NOT NULL DEFAULT false;

-- By hand from here on: what schema.prisma cannot say.

-- Few refunds are asked for in an hour, however many channels there are.
CREATE INDEX "channel_refund_asked_idx" ON "channel"("network", "refund_asked_at") WHERE "refund_asked_at" IS NOT NULL;
