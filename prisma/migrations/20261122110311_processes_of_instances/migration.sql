-- AlterTable
ALTER TABLE "instance" ADD COLUMN     "machine" TEXT,
ADD COLUMN     "process" TEXT;

-- By hand from here on: what schema.prisma cannot say.
