-- CreateIndex
CREATE INDEX "gas_in_vain_network_at_idx" ON "gas_in_vain"("network", "at");

-- CreateIndex
CREATE INDEX "upload_owner_created_at_id_idx" ON "upload"("owner", "created_at", "id") WHERE "deleted_at" IS NULL;

-- By hand from here on: what schema.prisma cannot say.

-- Nothing looks for what is erased, or for delivered calls by their state. Without them these indexes stay small, and a
-- delivery writes to one index less.
DROP INDEX "form_readable_until_idx";
CREATE INDEX "form_readable_until_idx" ON "form"("readable_until") WHERE "erased_at" IS NULL;
DROP INDEX "paid_call_state_attempt_at_idx";
CREATE INDEX "paid_call_state_attempt_at_idx" ON "paid_call"("state", "attempt_at") WHERE "state" <> 'delivered';
