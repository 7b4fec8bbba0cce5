-- By hand: what schema.prisma cannot say.

-- A reorganization can bring a replaced transaction back. It is open again then, so that its sender follows it and records its cost.
INSERT INTO "legal_settlement_move" ("from_state", "to_state") VALUES ('replaced', 'prepared');
