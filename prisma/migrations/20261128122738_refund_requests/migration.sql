-- CreateTable
CREATE TABLE "refund_request" (
    "paid_call_id" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "message" BYTEA,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "declined_at" TIMESTAMPTZ(3),
    "answer" TEXT,

    CONSTRAINT "refund_request_pkey" PRIMARY KEY ("paid_call_id")
);

-- AddForeignKey
ALTER TABLE "refund_request" ADD CONSTRAINT "refund_request_paid_call_id_fkey" FOREIGN KEY ("paid_call_id") REFERENCES "paid_call"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand from here on: what schema.prisma cannot say.
CREATE INDEX "refund_request_open_idx" ON "refund_request"("requested_at") WHERE "declined_at" IS NULL;
