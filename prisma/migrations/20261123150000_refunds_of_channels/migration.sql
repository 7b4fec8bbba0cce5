-- AlterTable
ALTER TABLE "channel" ADD COLUMN     "refund_asked_at" TIMESTAMPTZ(3),
ADD COLUMN     "refund_atomic" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "refund_number" BIGINT,
ADD COLUMN     "refund_sent_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "channel_payer_idx" ON "channel"("payer");

-- By hand from here on: what schema.prisma cannot say.

ALTER TABLE "channel" ADD CONSTRAINT "channel_refund_not_negative" CHECK ("refund_atomic" >= 0);

-- What is promised back stays promised until the contract has counted that refund: its signature may be on its way.
CREATE FUNCTION "refuse_other_refund"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the open refund of channel % may not be changed', NEW."id" USING ERRCODE = 'check_violation';
END;
$$;
CREATE TRIGGER "channel_refund_stays" BEFORE UPDATE ON "channel"
  FOR EACH ROW WHEN (OLD."refund_number" >= NEW."refund_nonce"
    AND (NEW."refund_atomic", NEW."refund_number") IS DISTINCT FROM (OLD."refund_atomic", OLD."refund_number"))
  EXECUTE FUNCTION "refuse_other_refund"();

-- Few refunds are open, however many channels there are.
CREATE INDEX "channel_to_refund_idx" ON "channel"("network") WHERE "refund_number" >= "refund_nonce";
