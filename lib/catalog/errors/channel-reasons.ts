const pay = (message: string) => ({ message, retry: 'pay' }) as const;
const stop = (message: string) => ({ message, retry: 'stop' }) as const;

/** Why a payment through a channel was refused. Codes that begin with `invalid_batch_settlement` are x402's. */
export const channelReasons = {
  channels_are_closing: pay(
    'The service takes no more payments through channels. Sign an offer of the scheme exact.',
  ),
  refund_at_wrong_url: {
    message: 'A refund from a channel is requested at GET /v1/channels/refund.',
    retry: 'fix_input',
  },
  invalid_batch_settlement_evm_cumulative_amount_mismatch: pay(
    'The voucher is for another total than the next one of the channel, whose state is in the 402. The official client corrects it automatically.',
  ),
  invalid_batch_settlement_evm_deposit_below_min_deposit: pay(
    'The deposit is below `extra.minDeposit` of the 402.',
  ),
  invalid_batch_settlement_evm_deposit_above_max_deposit: pay(
    'The deposit is more than this service lets a channel hold. Deposit less.',
  ),
  invalid_batch_settlement_evm_deposit_simulation_failed: stop(
    'The deposit would fail on the chain: most often the wallet {wallet} holds less than it deposits. Send USDC to it on {network}, or deposit less.',
  ),
  invalid_batch_settlement_evm_channel_id_mismatch: pay(
    'The channel of the voucher is not that of its terms.',
  ),
  invalid_batch_settlement_evm_voucher_signature: pay(
    'The voucher is not signed by the key of the wallet that the channel belongs to.',
  ),
  invalid_batch_settlement_evm_receiver_mismatch: pay(
    'The channel pays another address than `payTo` of the 402.',
  ),
  invalid_batch_settlement_evm_receiver_authorizer_mismatch: pay(
    'The channel has another `receiverAuthorizer` than the 402. Open a channel with the present one.',
  ),
  invalid_batch_settlement_evm_token_mismatch: pay(
    'The channel is in another token than USDC (`asset` of the 402).',
  ),
  invalid_batch_settlement_evm_withdraw_delay_mismatch: pay(
    'The channel has another `withdrawDelay` than the 402. Open a channel with the present one.',
  ),
} as const;
