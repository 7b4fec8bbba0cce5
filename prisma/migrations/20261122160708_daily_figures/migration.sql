-- CreateTable
CREATE TABLE "daily_figures" (
    "day" DATE NOT NULL,
    "figures" JSONB NOT NULL,

    CONSTRAINT "daily_figures_pkey" PRIMARY KEY ("day")
);

-- CreateIndex
CREATE INDEX "posting_at_idx" ON "posting" USING BRIN ("at");

-- By hand from here on: what schema.prisma cannot say.
ALTER INDEX "posting_at_idx" SET (autosummarize = on);
