-- AlterTable
ALTER TABLE "paid_call" ADD COLUMN     "request_digest" BYTEA;

-- CreateTable
CREATE TABLE "receipt_key" (
    "id" TEXT NOT NULL,
    "public_key" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "receipt_key_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "receipt_key_public_key_key" ON "receipt_key"("public_key");

-- By hand from here on: what schema.prisma cannot say.

-- A key is recorded once and may be revoked once. Receipts that it signed name it for ever.
CREATE FUNCTION "keep_receipt_key"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD."revoked_at" IS NULL
    AND (NEW."id", NEW."public_key", NEW."created_at") = (OLD."id", OLD."public_key", OLD."created_at") THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '% on receipt_key is refused: only revoked_at may be set, once', TG_OP
    USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER "receipt_key_kept" BEFORE UPDATE OR DELETE ON "receipt_key"
  FOR EACH ROW EXECUTE FUNCTION "keep_receipt_key"();
