-- CreateIndex
CREATE INDEX "channel_receiver_token_idx" ON "channel"("receiver", "token");
