-- By hand: what schema.prisma cannot say.

-- Whether no reorganization can take a payment away any more, as far as the ledger knows.
--
-- A call that a payment channel paid for is paid when its price is claimed: until then the money is in the contract, and its payer
-- may take it away. `channel_event` has claims of final blocks only, so a claim that was undone is in neither sum. What was claimed
-- before the channel was first read is in `opened_atomic`, perhaps beside its events, so the newest figure of the chain has to say the
-- same. While the deposit of a call is not final in the ledger, the call could still fall back to `unknown`. A transaction that
-- another one has replaced takes nothing away.
CREATE FUNCTION "payment_is_final"(call "paid_call") RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN call."network" = 'account' THEN true
    WHEN call."channel_id" IS NULL THEN EXISTS (
      SELECT FROM "settlement_transaction"
      WHERE "id" = call."settlement_id" AND "state" = 'confirmed' AND "final_at" IS NOT NULL)
    ELSE NOT EXISTS (
      SELECT FROM "settlement_transaction"
      WHERE "id" = call."settlement_id" AND "final_at" IS NULL AND "state" <> 'replaced'
    ) AND EXISTS (
      SELECT FROM "channel"
      WHERE "id" = call."channel_id" AND split_part(call."authorization", ':', 2)::numeric <= LEAST("claimed_atomic",
        "opened_atomic" + (SELECT COALESCE(sum("amount_atomic"), 0) FROM "channel_event"
          WHERE "channel_id" = "channel"."id" AND "name" = 'Claimed')))
  END
$$;

-- As before, but a call of a payment channel is final with its claim.
CREATE OR REPLACE FUNCTION "refuse_illegal_refund"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  call "paid_call";
BEGIN
  SELECT * INTO call FROM "paid_call" WHERE "id" = NEW."paid_call_id" FOR UPDATE;
  IF NEW."state" <> 'requested' THEN
    RAISE EXCEPTION 'a refund may not begin as %', NEW."state" USING ERRCODE = 'check_violation';
  ELSIF call."state" NOT IN ('needs_attention', 'kept', 'delivered') THEN
    RAISE EXCEPTION 'a call that is % cannot be refunded', call."state" USING ERRCODE = 'check_violation';
  ELSIF call."credited_account" IS NOT NULL THEN
    RAISE EXCEPTION 'a deposit that was credited cannot be refunded' USING ERRCODE = 'check_violation';
  ELSIF call."state" = 'delivered' AND NEW."reason" = 'not_delivered' THEN
    RAISE EXCEPTION 'a delivered call cannot be refunded as not delivered' USING ERRCODE = 'check_violation';
  ELSIF NOT "payment_is_final"(call) THEN
    RAISE EXCEPTION 'a payment that is not final cannot be refunded' USING ERRCODE = 'check_violation';
  ELSIF (NEW."amount_atomic", NEW."asset") IS DISTINCT FROM (call."amount_atomic", call."asset") THEN
    RAISE EXCEPTION 'a refund is of the whole price in the same asset' USING ERRCODE = 'check_violation';
  ELSIF NEW."method" <> 'account' AND (NEW."network", NEW."recipient") IS DISTINCT FROM (call."network", call."payer") THEN
    RAISE EXCEPTION 'a refund goes to the payer of its call' USING ERRCODE = 'check_violation';
  ELSIF NEW."method" = 'account' AND call."network" = 'account' AND NEW."recipient" <> call."payer" THEN
    RAISE EXCEPTION 'a refund of an account goes back to it' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW."method" = 'account' THEN
    PERFORM FROM "account" WHERE "id" = NEW."recipient" AND "revoked_at" IS NULL FOR SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'a refund goes into an account that is open' USING ERRCODE = 'check_violation';
    END IF;
  END IF;
  RETURN NEW;
END;
$$;
