-- CreateIndex
CREATE INDEX "upload_deleted_at_idx" ON "upload"("deleted_at") WHERE "deleted_at" IS NOT NULL AND "erased_at" IS NULL;

-- By hand from here on: what schema.prisma cannot say.

-- Expiry looks for what is over and not yet erased. Both indexes hold only that, so that a run with nothing to do costs
-- the same after a million uploads as after the first.
DROP INDEX "upload_expires_at_idx";
CREATE INDEX "upload_expires_at_idx" ON "upload"("expires_at") WHERE "deleted_at" IS NULL AND "erased_at" IS NULL;
