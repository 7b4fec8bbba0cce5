; A Solana smart wallet for tests, whose owner decides by a settings account how honest it is. It pays USDC from a vault.
;
; Accounts: 0 settings (read-only, may not exist)   1 member (signs)   2 vault: the address of ["vault", member, bump]
;           3 the vault's token account (writable)  4 mint             5 token account to pay (writable)
;           6 token program                         further accounts are ignored
; Data:     bump, one byte; amount, eight bytes, little endian
;
; The first byte of the settings account, 0 if it has none, says what the wallet does:
;   0  pays the amount          1  does nothing and succeeds    2  fails with custom error 7
;   3  pays half the amount     4  pays the amount twice        5  computes until its units are used up
;
; Errors, in this order: NotEnoughAccountKeys; InvalidArgument for more than 64 accounts; InvalidInstructionData for data of
; another length; MissingRequiredSignature of the member; InvalidAccountData for another first byte of the settings.

; Fields of an account as the loader passes it: a signer or not, writable or not, its address and so on.
.equ IS_SIGNER, 1
.equ IS_WRITABLE, 2
.equ IS_EXECUTABLE, 3
.equ ADDRESS, 8
.equ OWNER, 40
.equ LAMPORTS, 72
.equ DATA_LENGTH, 80
.equ DATA, 88
; The room that it leaves behind the data, and the seven bytes that round up to a multiple of eight.
.equ DATA_TO_END, 10335

; The stack, from r10 down. First the addresses of the accounts in the input, at most 64.
.equ SETTINGS, -512
.equ MEMBER, -504
.equ VAULT, -496
.equ SOURCE, -488
.equ MINT, -480
.equ DESTINATION, -472
.equ TOKEN_PROGRAM, -464
; TransferChecked of the token program: its number, the amount, the decimals.
.equ TRANSFER, -528
.equ TRANSFER_AMOUNT, -527
.equ TRANSFER_DECIMALS, -519
; The accounts of the transfer, 16 bytes each: the address of the account's address, writable, signer.
.equ SOURCE_META, -592
.equ SOURCE_META_FLAGS, -584
.equ MINT_META, -576
.equ MINT_META_FLAGS, -568
.equ DESTINATION_META, -560
.equ DESTINATION_META_FLAGS, -552
.equ AUTHORITY_META, -544
.equ AUTHORITY_META_FLAGS, -536
; The instruction: program, accounts and their number, data and its length.
.equ INSTRUCTION, -632
.equ INSTRUCTION_ACCOUNTS, -624
.equ INSTRUCTION_ACCOUNT_COUNT, -616
.equ INSTRUCTION_DATA, -608
.equ INSTRUCTION_DATA_LENGTH, -600
; The word "vault".
.equ WORD, -640
.equ WORD_END, -636
; The seeds: address and length of each, and of their list.
.equ WORD_SEED, -688
.equ WORD_SEED_LENGTH, -680
.equ MEMBER_SEED, -672
.equ MEMBER_SEED_LENGTH, -664
.equ BUMP_SEED, -656
.equ BUMP_SEED_LENGTH, -648
.equ SEEDS, -704
.equ SEEDS_LENGTH, -696
; The state of the four accounts in the form that the runtime asks for, 56 bytes each.
.equ INFOS, -928

entrypoint:
  ldxdw r3, [r1+0]                 ; the number of accounts
  mov64 r0, 11                     ; NotEnoughAccountKeys
  jlt r3, 7, fail
  mov64 r0, 2                      ; InvalidArgument
  jgt r3, 64, fail
  add64 r1, 8
  mov64 r5, r10
  add64 r5, SETTINGS

read_account:
  ldxb r2, [r1+0]                  ; 255, or the index of an earlier account that this one repeats
  jne r2, 255, repeated_account
  mov64 r2, r1
  ldxdw r4, [r1+DATA_LENGTH]
  add64 r1, r4
  add64 r1, DATA_TO_END
  and64 r1, -8
  ja keep_account
repeated_account:
  lsh64 r2, 3
  add64 r2, r10
  ldxdw r2, [r2+SETTINGS]
keep_account:
  add64 r1, 8
  stxdw [r5+0], r2
  add64 r5, 8
  sub64 r3, 1
  jne r3, 0, read_account

  mov64 r0, 3                      ; InvalidInstructionData
  ldxdw r2, [r1+0]
  jne r2, 9, fail
  mov64 r6, r1
  add64 r6, 8                      ; r6: the bump, with the amount behind it
  ldxdw r7, [r6+1]                 ; r7: the amount
  mov64 r8, 1                      ; r8: how often to pay it

  mov64 r0, 8                      ; MissingRequiredSignature
  ldxdw r2, [r10+MEMBER]
  ldxb r2, [r2+IS_SIGNER]
  jeq r2, 0, fail

  ldxdw r2, [r10+SETTINGS]
  ldxdw r3, [r2+DATA_LENGTH]
  jeq r3, 0, pay
  ldxb r2, [r2+DATA]
  jeq r2, 0, pay
  jeq r2, 1, succeed
  jeq r2, 2, fail_with_7
  jeq r2, 3, pay_half
  jeq r2, 4, pay_twice
  jeq r2, 5, compute
  mov64 r0, 4                      ; InvalidAccountData

fail:
  lsh64 r0, 32                     ; The runtime's own errors are in the upper half, and custom errors in the lower.
  exit

fail_with_7:
  mov64 r0, 7
  exit

compute:
  ja compute

pay_half:
  rsh64 r7, 1
  ja pay
pay_twice:
  mov64 r8, 2

pay:
  stb [r10+TRANSFER], 12
  stxdw [r10+TRANSFER_AMOUNT], r7
  stb [r10+TRANSFER_DECIMALS], 6

  ldxdw r2, [r10+SOURCE]
  add64 r2, ADDRESS
  stxdw [r10+SOURCE_META], r2
  stdw [r10+SOURCE_META_FLAGS], 1                ; writable
  ldxdw r2, [r10+MINT]
  add64 r2, ADDRESS
  stxdw [r10+MINT_META], r2
  stdw [r10+MINT_META_FLAGS], 0
  ldxdw r2, [r10+DESTINATION]
  add64 r2, ADDRESS
  stxdw [r10+DESTINATION_META], r2
  stdw [r10+DESTINATION_META_FLAGS], 1                ; writable
  ldxdw r2, [r10+VAULT]
  add64 r2, ADDRESS
  stxdw [r10+AUTHORITY_META], r2
  stdw [r10+AUTHORITY_META_FLAGS], 256              ; signer

  ldxdw r2, [r10+TOKEN_PROGRAM]
  add64 r2, ADDRESS
  stxdw [r10+INSTRUCTION], r2
  mov64 r2, r10
  add64 r2, SOURCE_META
  stxdw [r10+INSTRUCTION_ACCOUNTS], r2
  stdw [r10+INSTRUCTION_ACCOUNT_COUNT], 4
  mov64 r2, r10
  add64 r2, TRANSFER
  stxdw [r10+INSTRUCTION_DATA], r2
  stdw [r10+INSTRUCTION_DATA_LENGTH], 10

  stw [r10+WORD], 0x6c756176       ; "vaul"
  stb [r10+WORD_END], 0x74         ; "t"
  mov64 r2, r10
  add64 r2, WORD
  stxdw [r10+WORD_SEED], r2
  stdw [r10+WORD_SEED_LENGTH], 5
  ldxdw r2, [r10+MEMBER]
  add64 r2, ADDRESS
  stxdw [r10+MEMBER_SEED], r2
  stdw [r10+MEMBER_SEED_LENGTH], 32
  stxdw [r10+BUMP_SEED], r6
  stdw [r10+BUMP_SEED_LENGTH], 1
  mov64 r2, r10
  add64 r2, WORD_SEED
  stxdw [r10+SEEDS], r2
  stdw [r10+SEEDS_LENGTH], 3

  mov64 r1, r10
  add64 r1, INFOS
  mov64 r2, r10
  add64 r2, VAULT                  ; then source, mint and destination
  mov64 r3, 4
write_info:
  ldxdw r4, [r2+0]
  mov64 r5, r4
  add64 r5, ADDRESS
  stxdw [r1+0], r5
  mov64 r5, r4
  add64 r5, LAMPORTS
  stxdw [r1+8], r5
  ldxdw r5, [r4+DATA_LENGTH]
  stxdw [r1+16], r5
  mov64 r5, r4
  add64 r5, DATA
  stxdw [r1+24], r5
  mov64 r5, r4
  add64 r5, OWNER
  stxdw [r1+32], r5
  stdw [r1+40], 0                  ; the rent epoch, which nothing reads
  ldxb r5, [r4+IS_SIGNER]
  stxb [r1+48], r5
  ldxb r5, [r4+IS_WRITABLE]
  stxb [r1+49], r5
  ldxb r5, [r4+IS_EXECUTABLE]
  stxb [r1+50], r5
  add64 r1, 56
  add64 r2, 8
  sub64 r3, 1
  jne r3, 0, write_info

  mov64 r1, r10
  add64 r1, INSTRUCTION
  mov64 r2, r10
  add64 r2, INFOS
  mov64 r3, 4
  mov64 r4, r10
  add64 r4, SEEDS
  mov64 r5, 1
  call sol_invoke_signed_c         ; If the transfer fails, the runtime ends the transaction.
  sub64 r8, 1
  jne r8, 0, pay

succeed:
  mov64 r0, 0
  exit
