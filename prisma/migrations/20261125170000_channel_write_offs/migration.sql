-- AlterTable
ALTER TABLE "channel" ADD COLUMN     "written_off_atomic" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "posting" ADD COLUMN     "channel_write_off_id" BIGINT;

-- CreateTable
CREATE TABLE "channel_write_off" (
    "id" BIGSERIAL NOT NULL,
    "channel_id" TEXT NOT NULL,
    "amount_atomic" BIGINT NOT NULL,
    "note" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "channel_write_off_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "channel_write_off_channel_id_idx" ON "channel_write_off"("channel_id");

-- CreateIndex
CREATE UNIQUE INDEX "posting_channel_write_off_id_key" ON "posting"("channel_write_off_id");

-- AddForeignKey
ALTER TABLE "channel_write_off" ADD CONSTRAINT "channel_write_off_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channel"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "posting" ADD CONSTRAINT "posting_channel_write_off_id_fkey" FOREIGN KEY ("channel_write_off_id") REFERENCES "channel_write_off"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand from here on: what schema.prisma cannot say.

ALTER TABLE "channel" ADD CONSTRAINT "channel_written_off_not_negative" CHECK ("written_off_atomic" >= 0);
ALTER TABLE "channel_write_off" ADD CONSTRAINT "channel_write_off_of_something" CHECK ("amount_atomic" <> 0);

-- What was spent by vouchers and the contract cannot pay: lost, unless the payer deposits again.
CREATE FUNCTION "unclaimable_expense_account"(network text) RETURNS "ledger_account" LANGUAGE sql IMMUTABLE
  AS $$ SELECT 'expense:unclaimable:' || network $$;

-- A write-off is posted and counted in its channel by the statement that inserts it. A posting has a positive amount, so one of less
-- than nothing is the same posting the other way around.
CREATE FUNCTION "post_channel_write_off"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "channel" SET "written_off_atomic" = "written_off_atomic" + NEW."amount_atomic" WHERE "id" = NEW."channel_id";
  INSERT INTO "posting" ("channel_write_off_id", "kind", "debit_account", "credit_account", "amount_atomic", "unit", "at")
  SELECT NEW."id",
    CASE WHEN NEW."amount_atomic" > 0 THEN 'written_off' ELSE 'written_off_reversed' END,
    CASE WHEN NEW."amount_atomic" > 0 THEN "unclaimable_expense_account"("network") ELSE "unclaimed_account"("network") END,
    CASE WHEN NEW."amount_atomic" > 0 THEN "unclaimed_account"("network") ELSE "unclaimable_expense_account"("network") END,
    abs(NEW."amount_atomic"), 'usdc', NEW."at"
  FROM "channel" WHERE "id" = NEW."channel_id";
  RETURN NULL;
END;
$$;
CREATE TRIGGER "channel_write_off_posted" AFTER INSERT ON "channel_write_off"
  FOR EACH ROW EXECUTE FUNCTION "post_channel_write_off"();
CREATE TRIGGER "channel_write_off_kept" BEFORE UPDATE OR DELETE OR TRUNCATE ON "channel_write_off"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
