-- AlterTable
ALTER TABLE "upload" ADD COLUMN     "is_deletion_reserved" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "reserved_renewals" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "upload_reservation" (
    "paid_call_id" TEXT NOT NULL,
    "upload_id" TEXT NOT NULL,
    "is_deletion" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "upload_reservation_pkey" PRIMARY KEY ("paid_call_id")
);

-- CreateIndex
CREATE INDEX "upload_reservation_upload_id_idx" ON "upload_reservation"("upload_id");

-- AddForeignKey
ALTER TABLE "upload_reservation" ADD CONSTRAINT "upload_reservation_upload_id_fkey" FOREIGN KEY ("upload_id") REFERENCES "upload"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand from here on: what schema.prisma cannot say.

ALTER TABLE "upload" ADD CONSTRAINT "upload_reserved_renewals_not_negative" CHECK ("reserved_renewals" >= 0);

-- A call that is over, however it ended and whoever wrote it down, holds nothing: released in the same transaction, so that
-- no crash leaves a reservation behind. What delivered the call has released it already.
CREATE FUNCTION "release_upload_reservation"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH released AS (
    DELETE FROM "upload_reservation" WHERE "paid_call_id" = NEW."id" RETURNING "upload_id", "is_deletion"
  )
  UPDATE "upload" SET
    "reserved_renewals" = "reserved_renewals" - CASE WHEN released."is_deletion" THEN 0 ELSE 1 END,
    "is_deletion_reserved" = "is_deletion_reserved" AND NOT released."is_deletion"
  FROM released WHERE "upload"."id" = released."upload_id";
  RETURN NULL;
END;
$$;

CREATE TRIGGER "paid_call_releases_upload" AFTER UPDATE OF "state" ON "paid_call"
  FOR EACH ROW WHEN (
    OLD."state" IS DISTINCT FROM NEW."state"
    AND NEW."state" IN ('delivered', 'kept', 'refused', 'needs_attention', 'refunded')
    AND NEW."operation" IN ('uploads.renew', 'uploads.delete')
  ) EXECUTE FUNCTION "release_upload_reservation"();
