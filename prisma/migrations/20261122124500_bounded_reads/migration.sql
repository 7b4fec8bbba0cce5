-- CreateIndex
CREATE INDEX "gas_in_vain_network_at_idx" ON "gas_in_vain"("network", "at");

-- CreateIndex
CREATE INDEX "upload_owner_created_at_id_idx" ON "upload"("owner", "created_at", "id") WHERE "deleted_at" IS NULL;

-- By hand from here on: what schema.prisma cannot say.

-- Nothing looks for what is erased. Without it the index stays small.
DROP INDEX "form_readable_until_idx";
CREATE INDEX "form_readable_until_idx" ON "form"("readable_until") WHERE "erased_at" IS NULL;
