import type { FailedTransactionMetadata } from 'litesvm';

/** A transaction's failure in the form of the JSON-RPC interface. */
export type TransactionError = string | Record<string, unknown>;

// In the order of LiteSVM's enums, which the package declares as types without values.
const transactionErrors =
  'AccountInUse AccountLoadedTwice AccountNotFound ProgramAccountNotFound InsufficientFundsForFee InvalidAccountForFee AlreadyProcessed BlockhashNotFound CallChainTooDeep MissingSignatureForFee InvalidAccountIndex SignatureFailure InvalidProgramForExecution SanitizeFailure ClusterMaintenance AccountBorrowOutstanding WouldExceedMaxBlockCostLimit UnsupportedVersion InvalidWritableAccount WouldExceedMaxAccountCostLimit WouldExceedAccountDataBlockLimit TooManyAccountLocks AddressLookupTableNotFound InvalidAddressLookupTableOwner InvalidAddressLookupTableData InvalidAddressLookupTableIndex InvalidRentPayingAccount WouldExceedMaxVoteCostLimit WouldExceedAccountDataTotalLimit MaxLoadedAccountsDataSizeExceeded ResanitizationNeeded InvalidLoadedAccountsDataSizeLimit UnbalancedTransaction ProgramCacheHitMaxLimit CommitCancelled'.split(
    ' ',
  );
const instructionErrors =
  'GenericError InvalidArgument InvalidInstructionData InvalidAccountData AccountDataTooSmall InsufficientFunds IncorrectProgramId MissingRequiredSignature AccountAlreadyInitialized UninitializedAccount UnbalancedInstruction ModifiedProgramId ExternalAccountLamportSpend ExternalAccountDataModified ReadonlyLamportChange ReadonlyDataModified DuplicateAccountIndex ExecutableModified RentEpochModified NotEnoughAccountKeys AccountDataSizeChanged AccountNotExecutable AccountBorrowFailed AccountBorrowOutstanding DuplicateAccountOutOfSync InvalidError ExecutableDataModified ExecutableLamportChange ExecutableAccountNotRentExempt UnsupportedProgramId CallDepth MissingAccount ReentrancyNotAllowed MaxSeedLengthExceeded InvalidSeeds InvalidRealloc ComputationalBudgetExceeded PrivilegeEscalation ProgramEnvironmentSetupFailure ProgramFailedToComplete ProgramFailedToCompile Immutable IncorrectAuthority AccountNotRentExempt InvalidAccountOwner ArithmeticOverflow UnsupportedSysvar IllegalOwner MaxAccountsDataAllocationsExceeded MaxAccountsExceeded MaxInstructionTraceLengthExceeded BuiltinProgramsMustConsumeComputeUnits BorshIoError'.split(
    ' ',
  );

const messages: Record<string, string> = {
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  InsufficientFundsForFee: 'Insufficient funds for fee',
  SignatureFailure: 'Transaction did not pass signature verification',
};

/** Converts LiteSVM's error by its shape, because its classes are not exported. */
export function toTransactionError(failure: ReturnType<FailedTransactionMetadata['err']>): TransactionError {
  if (typeof failure === 'number') return transactionErrors[failure] ?? 'SanitizeFailure';
  if ('err' in failure) {
    const inner = failure.err();
    if (typeof inner === 'number') {
      return { InstructionError: [failure.index, instructionErrors[inner] ?? 'GenericError'] };
    }
    return {
      InstructionError: [
        failure.index,
        'code' in inner ? { Custom: inner.code } : { BorshIoError: inner.msg },
      ],
    };
  }
  if ('accountIndex' in failure) return { InsufficientFundsForRent: { account_index: failure.accountIndex } };
  return { DuplicateInstruction: failure.index };
}

/** Whether a validator includes a transaction with this error in a block and charges its fee, instead of dropping it. */
export function isIncludedDespite(error: TransactionError): boolean {
  return typeof error !== 'string';
}

/** The error message that clients look for. */
export function describeTransactionError(error: TransactionError): string {
  if (typeof error === 'string') return messages[error] ?? error;
  const [index, inner] = (error.InstructionError ?? []) as [number?, unknown?];
  if (index === undefined) return JSON.stringify(error);
  const code = typeof inner === 'object' && inner !== null && 'Custom' in inner ? inner.Custom : undefined;
  if (typeof code === 'number')
    return `Error processing Instruction ${index}: custom program error: 0x${code.toString(16)}`;
  return `Error processing Instruction ${index}: ${String(inner)}`;
}
