-- AlterTable
ALTER TABLE "form" DROP COLUMN "created_at";

-- AlterTable
ALTER TABLE "settlement_signer" DROP COLUMN "used_at";

-- AlterTable
ALTER TABLE "turn" DROP COLUMN "taken_by";

-- AlterTable
ALTER TABLE "upload_renewal" DROP COLUMN "created_at";

-- AlterTable
ALTER TABLE "upload_reservation" DROP COLUMN "created_at";

-- CreateIndex
CREATE INDEX "paid_call_answer_expires_at_idx" ON "paid_call"("answer_expires_at") WHERE "answer" IS NOT NULL;

-- By hand from here on: what schema.prisma cannot say.
