-- AlterTable
ALTER TABLE "form" ADD COLUMN     "deleted_count" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "form_response" ADD COLUMN     "deleted_at" TIMESTAMPTZ(3),
ADD COLUMN     "recipient" BYTEA,
ALTER COLUMN "answers" DROP NOT NULL,
ALTER COLUMN "submitted_at" DROP NOT NULL;

-- By hand from here on: what schema.prisma cannot say.

-- No more responses are deleted than were sent.
ALTER TABLE "form" ADD CONSTRAINT "form_deleted_counted" CHECK ("deleted_count" BETWEEN 0 AND "response_count");

-- A response has answers and a time, or it is deleted and has nothing that a person sent.
ALTER TABLE "form_response" ADD CONSTRAINT "form_response_deleted_whole" CHECK (
  CASE WHEN "deleted_at" IS NULL THEN "answers" IS NOT NULL AND "submitted_at" IS NOT NULL
  ELSE "answers" IS NULL AND "submitted_at" IS NULL AND "recipient" IS NULL END
);
