-- CreateTable
CREATE TABLE "installation" (
    "id" BOOLEAN NOT NULL DEFAULT true,
    "networks" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "installation_pkey" PRIMARY KEY ("id")
);

-- By hand from here on: what schema.prisma cannot say.

ALTER TABLE "installation"
  ADD CONSTRAINT "installation_one_row" CHECK ("id"),
  ADD CONSTRAINT "installation_networks" CHECK ("networks" IN ('main', 'test'));

-- What was decided stays decided.
CREATE TRIGGER "installation_append_only" BEFORE UPDATE OR DELETE ON "installation"
  FOR EACH ROW EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "installation_not_emptied" BEFORE TRUNCATE ON "installation"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();

-- Until now there were only main networks.
INSERT INTO "installation" ("networks", "created_at")
  SELECT 'main', now() WHERE EXISTS (SELECT 1 FROM "paid_call") OR EXISTS (SELECT 1 FROM "account");
