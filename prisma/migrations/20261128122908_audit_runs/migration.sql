-- CreateTable
CREATE TABLE "audit_run" (
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,
    "findings" JSONB NOT NULL,
    "networks" TEXT[],

    CONSTRAINT "audit_run_pkey" PRIMARY KEY ("started_at")
);

-- By hand from here on: what schema.prisma cannot say.
