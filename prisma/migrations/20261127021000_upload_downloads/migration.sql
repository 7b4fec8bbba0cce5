-- AlterTable
ALTER TABLE "upload" ADD COLUMN     "earlier_downloads" INTEGER NOT NULL DEFAULT 0;

-- By hand from here on: what schema.prisma cannot say.
