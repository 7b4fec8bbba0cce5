-- By hand: what schema.prisma cannot say.

-- A payment that the books did not know is booked once an operator has found it on the chain and it is final there. It was never
-- submitted by us, belongs to no request, and is never delivered. The unique key of a payment lets it be booked once.
CREATE FUNCTION "refuse_illegal_transfer"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' AND (NEW."state" <> 'settling' OR NEW."payment" IS NOT NULL OR NEW."input" IS NOT NULL
      OR NEW."idempotency_key_hash" IS NOT NULL) THEN
    RAISE EXCEPTION 'transfer % may not begin like a call', NEW."id" USING ERRCODE = 'check_violation';
  ELSIF TG_OP = 'UPDATE' AND NEW."state" NOT IN ('settled', 'needs_attention', 'kept', 'refunded') THEN
    RAISE EXCEPTION 'transfer % may not be %', NEW."id", NEW."state" USING ERRCODE = 'check_violation';
  ELSIF NOT EXISTS (
    SELECT FROM "settlement_transaction" WHERE "id" = NEW."settlement_id" AND "state" = 'confirmed' AND "final_at" IS NOT NULL
  ) THEN
    RAISE EXCEPTION 'a transfer that is not final cannot be booked' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER "paid_call_legal_transfer" BEFORE INSERT ON "paid_call"
  FOR EACH ROW WHEN (NEW."operation" = 'transfers.unmatched') EXECUTE FUNCTION "refuse_illegal_transfer"();
CREATE TRIGGER "paid_call_legal_transfer_move" BEFORE UPDATE OF "state" ON "paid_call"
  FOR EACH ROW WHEN (NEW."operation" = 'transfers.unmatched') EXECUTE FUNCTION "refuse_illegal_transfer"();
