-- AlterTable
ALTER TABLE "form" ADD COLUMN     "taken_down_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "upload" ADD COLUMN     "taken_down_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "abuse_report" (
    "id" TEXT NOT NULL,
    "target_kind" TEXT NOT NULL,
    "target_id" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "details" BYTEA,
    "reported_at" TIMESTAMPTZ(3) NOT NULL,
    "closed_at" TIMESTAMPTZ(3),

    CONSTRAINT "abuse_report_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "abuse_report_target_kind_target_id_idx" ON "abuse_report"("target_kind", "target_id");

-- By hand from here on: what schema.prisma cannot say.

-- Reports of forms become reports of anything.
INSERT INTO "abuse_report" ("id", "target_kind", "target_id", "reason", "details", "reported_at")
SELECT "id", 'form', "form_id", "reason", "details", "reported_at" FROM "form_report";
DROP TABLE "form_report";
ALTER TABLE "abuse_report" ADD CONSTRAINT "abuse_report_closed_without_details" CHECK ("closed_at" IS NULL OR "details" IS NULL);
CREATE INDEX "abuse_report_open_idx" ON "abuse_report"("reported_at", "id") WHERE "closed_at" IS NULL;

-- What was taken down and waits for its erasure.
CREATE INDEX "upload_taken_down_idx" ON "upload"("taken_down_at") WHERE "taken_down_at" IS NOT NULL AND "deleted_at" IS NULL;
CREATE INDEX "form_taken_down_idx" ON "form"("taken_down_at") WHERE "taken_down_at" IS NOT NULL AND "erased_at" IS NULL;
