-- By hand: what schema.prisma cannot say.

-- Channels with little unclaimed may be many, and are claimed for no other reason than that their payers leave.
DROP INDEX "channel_to_claim_idx";
CREATE INDEX "channel_to_claim_idx" ON "channel"("network", ("charged_atomic" - "claimed_atomic"))
  WHERE "charged_atomic" > "claimed_atomic";
CREATE INDEX "channel_leaving_idx" ON "channel"("network")
  WHERE "charged_atomic" > "claimed_atomic" AND "withdrawing_atomic" > 0;
CREATE INDEX "channel_unclaimable_idx" ON "channel"("claim_failed_at")
  WHERE "charged_atomic" > "claimed_atomic" AND "claim_failed_at" IS NOT NULL;
