-- By hand: what schema.prisma cannot say.

-- What is left in channels that nobody uses is paid back, unless it is too little.
CREATE INDEX "channel_idle_idx" ON "channel"("network", (COALESCE("used_at", "created_at")))
  WHERE "balance_atomic" - "charged_atomic" >= 100000;
