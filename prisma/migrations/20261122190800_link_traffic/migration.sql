-- CreateTable
CREATE TABLE "link_traffic" (
    "upload_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "downloads" INTEGER NOT NULL,
    "bytes" BIGINT NOT NULL,

    CONSTRAINT "link_traffic_pkey" PRIMARY KEY ("upload_id","day")
);

-- CreateIndex
CREATE INDEX "link_traffic_day_idx" ON "link_traffic"("day");
