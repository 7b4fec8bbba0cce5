-- AlterTable
ALTER TABLE "paid_call" ALTER COLUMN "payment" DROP NOT NULL;

-- By hand from here on: what schema.prisma cannot say.
