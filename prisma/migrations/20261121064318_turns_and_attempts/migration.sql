-- AlterTable
ALTER TABLE "paid_call" ADD COLUMN     "attempts" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "turn" (
    "job" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "taken_by" TEXT NOT NULL,

    CONSTRAINT "turn_pkey" PRIMARY KEY ("job")
);

-- By hand from here on: what schema.prisma cannot say.
