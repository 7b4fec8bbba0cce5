-- CreateTable
CREATE TABLE "operator_action" (
    "id" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "actor" TEXT NOT NULL,
    "address" TEXT,
    "action" TEXT NOT NULL,
    "target_kind" TEXT,
    "target_id" TEXT,
    "reason" TEXT,
    "note" TEXT,
    "before" JSONB,
    "after" JSONB,
    "correlation_id" TEXT NOT NULL,

    CONSTRAINT "operator_action_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "operator_action_target_kind_target_id_id_idx" ON "operator_action"("target_kind", "target_id", "id");

-- CreateIndex
CREATE INDEX "operator_action_actor_id_idx" ON "operator_action"("actor", "id");

-- CreateIndex
CREATE INDEX "operator_action_action_id_idx" ON "operator_action"("action", "id");

-- By hand from here on: what schema.prisma cannot say.

CREATE OR REPLACE FUNCTION "refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% on % is refused: its rows are a record', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END;
$$;

CREATE TRIGGER "operator_action_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "operator_action"
  FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
