-- AlterTable
ALTER TABLE "upload" ADD COLUMN     "filename" TEXT;

-- By hand from here on: what schema.prisma cannot say.
