-- CreateTable
CREATE TABLE "gas_in_vain" (
    "settlement_id" TEXT NOT NULL,
    "paid_call_id" TEXT NOT NULL,
    "network" TEXT NOT NULL,
    "payer" TEXT NOT NULL,
    "code" TEXT,
    "gas" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "gas_in_vain_pkey" PRIMARY KEY ("settlement_id","paid_call_id")
);

-- CreateIndex
CREATE INDEX "gas_in_vain_network_payer_at_idx" ON "gas_in_vain"("network", "payer", "at");

-- CreateIndex
CREATE INDEX "gas_in_vain_network_code_at_idx" ON "gas_in_vain"("network", "code", "at");

-- AddForeignKey
ALTER TABLE "gas_in_vain" ADD CONSTRAINT "gas_in_vain_settlement_id_fkey" FOREIGN KEY ("settlement_id") REFERENCES "settlement_transaction"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "gas_in_vain" ADD CONSTRAINT "gas_in_vain_paid_call_id_fkey" FOREIGN KEY ("paid_call_id") REFERENCES "paid_call"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- By hand from here on: what schema.prisma cannot say.
