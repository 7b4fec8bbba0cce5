-- AlterTable
ALTER TABLE "paid_call" ADD COLUMN     "prepared" BYTEA;

-- AlterTable
ALTER TABLE "upload" ADD COLUMN     "is_renewable" BOOLEAN NOT NULL DEFAULT true;

-- CreateTable
CREATE TABLE "held_file" (
    "id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "erased_at" TIMESTAMPTZ(3),

    CONSTRAINT "held_file_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "held_file_created_at_idx" ON "held_file"("created_at");

-- By hand from here on: what schema.prisma cannot say.

-- A call that ended before anything left the process may be begun anew (lib/ledger/states.ts).
INSERT INTO "legal_move" ("from_state", "to_state") VALUES ('refused', 'claimed');
