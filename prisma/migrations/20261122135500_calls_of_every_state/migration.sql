-- By hand from here on: what schema.prisma cannot say.

-- With delivered calls again: Prisma compares states by a cast whose value PostgreSQL does not know when it plans, so it did
-- not use an index without them.
DROP INDEX "paid_call_state_attempt_at_idx";
CREATE INDEX "paid_call_state_attempt_at_idx" ON "paid_call"("state", "attempt_at");
