-- A deposit that is being refunded, or was, does not enter its account as well, however late its delivery comes. The call is
-- locked by then, as it is when a refund begins, so whichever is second sees the first. The update leaves such a call out
-- instead of failing, because it moves other calls too.
CREATE FUNCTION "leave_out_refunded_deposit"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM "refund" WHERE "paid_call_id" = NEW."id" AND "state" IN ('requested', 'sent', 'confirmed')
  ) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER "paid_call_credited_without_refund" BEFORE UPDATE OF "credited_account" ON "paid_call"
  FOR EACH ROW WHEN (OLD."credited_account" IS NULL AND NEW."credited_account" IS NOT NULL)
  EXECUTE FUNCTION "leave_out_refunded_deposit"();
