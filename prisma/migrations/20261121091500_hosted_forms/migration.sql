-- CreateTable
CREATE TABLE "form" (
    "id" TEXT NOT NULL,
    "paid_call_id" TEXT NOT NULL,
    "read_token_hash" BYTEA NOT NULL,
    "content" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "closes_at" TIMESTAMPTZ(3) NOT NULL,
    "readable_until" TIMESTAMPTZ(3) NOT NULL,
    "max_responses" INTEGER NOT NULL,
    "response_count" INTEGER NOT NULL DEFAULT 0,
    "erased_at" TIMESTAMPTZ(3),

    CONSTRAINT "form_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "form_response" (
    "id" TEXT NOT NULL,
    "form_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "nonce" TEXT NOT NULL,
    "answers" BYTEA NOT NULL,
    "submitted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "form_response_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "form_report" (
    "id" TEXT NOT NULL,
    "form_id" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "details" BYTEA,
    "reported_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "form_report_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "form_attempt" (
    "key" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL,

    CONSTRAINT "form_attempt_pkey" PRIMARY KEY ("key","since")
);

-- CreateTable
CREATE TABLE "form_address_salt" (
    "day" DATE NOT NULL,
    "salt" BYTEA NOT NULL,

    CONSTRAINT "form_address_salt_pkey" PRIMARY KEY ("day")
);

-- CreateIndex
CREATE UNIQUE INDEX "form_paid_call_id_key" ON "form"("paid_call_id");

-- CreateIndex
CREATE INDEX "form_readable_until_idx" ON "form"("readable_until");

-- CreateIndex
CREATE UNIQUE INDEX "form_response_form_id_number_key" ON "form_response"("form_id", "number");

-- CreateIndex
CREATE UNIQUE INDEX "form_response_form_id_nonce_key" ON "form_response"("form_id", "nonce");

-- CreateIndex
CREATE INDEX "form_report_form_id_idx" ON "form_report"("form_id");

-- CreateIndex
CREATE INDEX "form_attempt_since_idx" ON "form_attempt"("since");

-- AddForeignKey
ALTER TABLE "form_response" ADD CONSTRAINT "form_response_form_id_fkey" FOREIGN KEY ("form_id") REFERENCES "form"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "form_report" ADD CONSTRAINT "form_report_form_id_fkey" FOREIGN KEY ("form_id") REFERENCES "form"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand from here on: what schema.prisma cannot say.

-- A form never holds more responses than it may, whoever counts them, and its responses are numbered from one.
ALTER TABLE "form" ADD CONSTRAINT "form_not_overfull" CHECK ("response_count" BETWEEN 0 AND "max_responses");
ALTER TABLE "form_response" ADD CONSTRAINT "form_response_numbered" CHECK ("number" > 0);

-- Answers are read after the form has closed, and what is erased has no content left.
ALTER TABLE "form" ADD CONSTRAINT "form_readable_after_closing" CHECK ("created_at" < "readable_until" AND "closes_at" <= "readable_until");
ALTER TABLE "form" ADD CONSTRAINT "form_erased_whole" CHECK (("erased_at" IS NULL) = ("content" IS NOT NULL));
