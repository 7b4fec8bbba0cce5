// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

interface Token {
    function balanceOf(address owner) external view returns (uint256);
    function transfer(address to, uint256 value) external returns (bool);
    function receiveWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
        bytes calldata signature
    ) external;
}

interface DepositCollector {
    function collect(address payer, address token, uint256 amount, bytes32 channelId, bytes calldata data) external;
}

/// Stands in for `x402BatchSettlement` on local chains, written from its public interface: the same functions, events,
/// errors and EIP-712 types. Its code is placed without running a constructor, so nothing is immutable. What this cannot
/// prove about the real contract: docs/decisions/payment-channels.md.
contract BatchSettlement {
    struct ChannelConfig {
        address payer;
        address payerAuthorizer;
        address receiver;
        address receiverAuthorizer;
        address token;
        uint40 withdrawDelay;
        bytes32 salt;
    }

    struct Voucher {
        ChannelConfig channel;
        uint128 maxClaimableAmount;
    }

    struct VoucherClaim {
        Voucher voucher;
        bytes signature;
        uint128 totalClaimed;
    }

    /// Claims do not reduce `balance`: what the payer can still get back is `balance - totalClaimed`.
    struct Channel {
        uint128 balance;
        uint128 totalClaimed;
    }

    struct Withdrawal {
        uint128 amount;
        uint40 initiatedAt;
    }

    struct Receiver {
        uint128 totalClaimed;
        uint128 totalSettled;
    }

    error InvalidChannel();
    error ZeroDeposit();
    error DepositOverflow();
    error InvalidSignature();
    error NotReceiverAuthorizer();
    error NotAuthorizedToClaim();
    error NotAuthorizedToRefund();
    error NotAuthorizedToInitiateWithdraw();
    error ClaimExceedsCeiling();
    error ClaimExceedsBalance();
    error WithdrawalAlreadyPending();
    error WithdrawalNotPending();
    error NotAuthorizedToFinalizeWithdraw();
    error WithdrawDelayNotElapsed();
    error NothingToWithdraw();
    error WithdrawAmountExceedsAvailable();
    error WithdrawDelayOutOfRange();
    error EmptyBatch();
    error DepositCollectionFailed();
    error InvalidCollector();
    error InvalidRefundNonce();
    error ZeroRefund();
    error Reentered();

    event ChannelCreated(bytes32 indexed channelId, ChannelConfig config);
    event ChannelClosed(bytes32 indexed channelId, ChannelConfig config);
    event Deposited(bytes32 indexed channelId, address indexed sender, uint128 amount, uint128 newBalance);
    event Claimed(bytes32 indexed channelId, address indexed sender, uint128 claimAmount, uint128 newTotalClaimed);
    event Settled(address indexed receiver, address indexed token, address indexed sender, uint128 amount);
    event Refunded(bytes32 indexed channelId, address indexed sender, uint128 amount);
    event WithdrawInitiated(bytes32 indexed channelId, uint128 amount, uint40 finalizeAfter);
    event WithdrawFinalized(bytes32 indexed channelId, address indexed sender, uint128 amount);

    uint40 public constant MIN_WITHDRAW_DELAY = 15 minutes;
    uint40 public constant MAX_WITHDRAW_DELAY = 30 days;

    bytes32 public constant CHANNEL_CONFIG_TYPEHASH = keccak256(
        "ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)"
    );
    bytes32 public constant VOUCHER_TYPEHASH = keccak256("Voucher(bytes32 channelId,uint128 maxClaimableAmount)");
    bytes32 public constant REFUND_TYPEHASH = keccak256("Refund(bytes32 channelId,uint256 nonce,uint128 amount)");
    bytes32 public constant CLAIM_ENTRY_TYPEHASH =
        keccak256("ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)");
    bytes32 public constant CLAIM_BATCH_TYPEHASH = keccak256(
        "ClaimBatch(ClaimEntry[] claims)ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)"
    );

    mapping(bytes32 => Channel) public channels;
    mapping(bytes32 => Withdrawal) public pendingWithdrawals;
    mapping(bytes32 => uint256) public refundNonce;
    mapping(address => mapping(address => Receiver)) public receivers;

    /// Released at the end of each function, so that `multicall` can run several in turn.
    bool transient private _entered;

    modifier once() {
        if (_entered) revert Reentered();
        _entered = true;
        _;
        _entered = false;
    }

    function multicall(bytes[] calldata data) external returns (bytes[] memory results) {
        results = new bytes[](data.length);
        for (uint256 i = 0; i < data.length; i++) {
            (bool ok, bytes memory result) = address(this).delegatecall(data[i]);
            if (!ok) {
                assembly ("memory-safe") {
                    revert(add(result, 0x20), mload(result))
                }
            }
            results[i] = result;
        }
    }

    function deposit(ChannelConfig calldata config, uint128 amount, address collector, bytes calldata collectorData)
        external once
    {
        if (amount == 0) revert ZeroDeposit();
        if (collector == address(0)) revert InvalidCollector();
        bytes32 id = _validChannelId(config);
        Channel storage channel = channels[id];
        if (uint256(channel.balance) + amount > type(uint128).max) revert DepositOverflow();

        uint256 held = Token(config.token).balanceOf(address(this));
        DepositCollector(collector).collect(config.payer, config.token, amount, id, collectorData);
        if (Token(config.token).balanceOf(address(this)) != held + amount) revert DepositCollectionFailed();

        channel.balance += amount;
        if (channel.balance == amount && channel.totalClaimed == 0) emit ChannelCreated(id, config);
        emit Deposited(id, msg.sender, amount, channel.balance);
    }

    function claim(VoucherClaim[] calldata voucherClaims) external once {
        if (voucherClaims.length == 0) revert EmptyBatch();
        for (uint256 i = 0; i < voucherClaims.length; i++) {
            ChannelConfig calldata config = voucherClaims[i].voucher.channel;
            if (msg.sender != config.receiver && msg.sender != config.receiverAuthorizer) revert NotAuthorizedToClaim();
            _claimRow(voucherClaims[i]);
        }
    }

    function claimWithSignature(VoucherClaim[] calldata voucherClaims, bytes calldata authorizerSignature)
        external once
    {
        if (voucherClaims.length == 0) revert EmptyBatch();
        address authorizer = voucherClaims[0].voucher.channel.receiverAuthorizer;
        if (!_isSignedBy(authorizer, getClaimBatchDigest(voucherClaims), authorizerSignature)) revert InvalidSignature();
        for (uint256 i = 0; i < voucherClaims.length; i++) {
            if (voucherClaims[i].voucher.channel.receiverAuthorizer != authorizer) revert NotReceiverAuthorizer();
            _claimRow(voucherClaims[i]);
        }
    }

    function settle(address receiver, address token) external once {
        Receiver storage due = receivers[receiver][token];
        uint128 amount = due.totalClaimed - due.totalSettled;
        if (amount == 0) return;
        due.totalSettled = due.totalClaimed;
        _pay(token, receiver, amount);
        emit Settled(receiver, token, msg.sender, amount);
    }

    function refund(ChannelConfig calldata config, uint128 amount) external once {
        if (msg.sender != config.receiver && msg.sender != config.receiverAuthorizer) revert NotAuthorizedToRefund();
        _refund(config, getChannelId(config), amount);
    }

    function refundWithSignature(
        ChannelConfig calldata config, uint128 amount, uint256 nonce, bytes calldata receiverAuthorizerSignature
    ) external once {
        bytes32 id = getChannelId(config);
        if (nonce != refundNonce[id]) revert InvalidRefundNonce();
        refundNonce[id] = nonce + 1;
        bytes32 signed = getRefundDigest(id, nonce, amount);
        if (!_isSignedBy(config.receiverAuthorizer, signed, receiverAuthorizerSignature)) revert InvalidSignature();
        _refund(config, id, amount);
    }

    function initiateWithdraw(ChannelConfig calldata config, uint128 amount) external once {
        if (!_actsForPayer(config)) revert NotAuthorizedToInitiateWithdraw();
        bytes32 id = getChannelId(config);
        if (pendingWithdrawals[id].initiatedAt != 0) revert WithdrawalAlreadyPending();
        if (amount == 0) revert NothingToWithdraw();
        if (amount > _free(channels[id])) revert WithdrawAmountExceedsAvailable();
        pendingWithdrawals[id] = Withdrawal(amount, uint40(block.timestamp));
        emit WithdrawInitiated(id, amount, uint40(block.timestamp) + config.withdrawDelay);
    }

    /// Never expires: a payer may arm a withdrawal and finish it at any time after the delay.
    function finalizeWithdraw(ChannelConfig calldata config) external once {
        if (!_actsForPayer(config)) revert NotAuthorizedToFinalizeWithdraw();
        bytes32 id = getChannelId(config);
        Withdrawal memory pending = pendingWithdrawals[id];
        if (pending.initiatedAt == 0) revert WithdrawalNotPending();
        if (block.timestamp < uint256(pending.initiatedAt) + config.withdrawDelay) revert WithdrawDelayNotElapsed();
        delete pendingWithdrawals[id];
        Channel storage channel = channels[id];
        uint128 amount = pending.amount < _free(channel) ? pending.amount : _free(channel);
        channel.balance -= amount;
        if (amount > 0) _pay(config.token, config.payer, amount);
        emit WithdrawFinalized(id, msg.sender, amount);
        if (_free(channel) == 0) emit ChannelClosed(id, config);
    }

    /// The typed data's whole digest, not the hash of the struct alone.
    function getChannelId(ChannelConfig calldata config) public view returns (bytes32) {
        return _digest(
            keccak256(
                abi.encode(
                    CHANNEL_CONFIG_TYPEHASH, config.payer, config.payerAuthorizer, config.receiver,
                    config.receiverAuthorizer, config.token, config.withdrawDelay, config.salt
                )
            )
        );
    }

    function getVoucherDigest(bytes32 channelId, uint128 maxClaimableAmount) public view returns (bytes32) {
        return _digest(keccak256(abi.encode(VOUCHER_TYPEHASH, channelId, maxClaimableAmount)));
    }

    function getRefundDigest(bytes32 channelId, uint256 nonce, uint128 amount) public view returns (bytes32) {
        return _digest(keccak256(abi.encode(REFUND_TYPEHASH, channelId, nonce, amount)));
    }

    function getClaimBatchDigest(VoucherClaim[] calldata voucherClaims) public view returns (bytes32) {
        bytes32[] memory rows = new bytes32[](voucherClaims.length);
        for (uint256 i = 0; i < rows.length; i++) {
            Voucher calldata voucher = voucherClaims[i].voucher;
            rows[i] = keccak256(
                abi.encode(
                    CLAIM_ENTRY_TYPEHASH, getChannelId(voucher.channel), voucher.maxClaimableAmount,
                    voucherClaims[i].totalClaimed
                )
            );
        }
        return _digest(keccak256(abi.encode(CLAIM_BATCH_TYPEHASH, keccak256(abi.encodePacked(rows)))));
    }

    /// A row that claims no more than is claimed already is skipped before anything else of it is checked.
    function _claimRow(VoucherClaim calldata row) private {
        ChannelConfig calldata config = row.voucher.channel;
        bytes32 id = _validChannelId(config);
        Channel storage channel = channels[id];
        if (row.totalClaimed <= channel.totalClaimed) return;
        if (row.totalClaimed > row.voucher.maxClaimableAmount) revert ClaimExceedsCeiling();
        if (row.totalClaimed > channel.balance) revert ClaimExceedsBalance();
        bytes32 signed = getVoucherDigest(id, row.voucher.maxClaimableAmount);
        if (!_isVoucherOf(config, signed, row.signature)) revert InvalidSignature();

        uint128 amount = row.totalClaimed - channel.totalClaimed;
        channel.totalClaimed = row.totalClaimed;
        receivers[config.receiver][config.token].totalClaimed += amount;
        emit Claimed(id, msg.sender, amount, row.totalClaimed);
    }

    function _refund(ChannelConfig calldata config, bytes32 id, uint128 wanted) private {
        if (wanted == 0) revert ZeroRefund();
        Channel storage channel = channels[id];
        uint128 amount = wanted < _free(channel) ? wanted : _free(channel);
        if (amount == 0) return;
        channel.balance -= amount;
        Withdrawal storage pending = pendingWithdrawals[id];
        if (pending.amount > _free(channel)) pending.amount = _free(channel);
        if (pending.amount == 0) delete pendingWithdrawals[id];
        _pay(config.token, config.payer, amount);
        emit Refunded(id, msg.sender, amount);
        if (_free(channel) == 0) emit ChannelClosed(id, config);
    }

    function _free(Channel storage channel) private view returns (uint128) {
        return channel.balance - channel.totalClaimed;
    }

    function _pay(address token, address to, uint128 amount) private {
        require(Token(token).transfer(to, amount));
    }

    function _actsForPayer(ChannelConfig calldata config) private view returns (bool) {
        return msg.sender == config.payer
            || (config.payerAuthorizer != address(0) && msg.sender == config.payerAuthorizer);
    }

    function _validChannelId(ChannelConfig calldata config) private view returns (bytes32) {
        if (
            config.payer == address(0) || config.receiver == address(0) || config.receiverAuthorizer == address(0)
                || config.token == address(0)
        ) revert InvalidChannel();
        if (config.withdrawDelay < MIN_WITHDRAW_DELAY || config.withdrawDelay > MAX_WITHDRAW_DELAY) {
            revert WithdrawDelayOutOfRange();
        }
        return getChannelId(config);
    }

    /// With a voucher key only that key's signature counts; without one the payer's, which may be a contract wallet's.
    function _isVoucherOf(ChannelConfig calldata config, bytes32 digest, bytes calldata signature)
        private view returns (bool)
    {
        return config.payerAuthorizer != address(0)
            ? _isKeySignature(config.payerAuthorizer, digest, signature)
            : _isSignedBy(config.payer, digest, signature);
    }

    function _isSignedBy(address signer, bytes32 digest, bytes calldata signature) private view returns (bool) {
        if (signer.code.length == 0) return _isKeySignature(signer, digest, signature);
        (bool ok, bytes memory result) = signer.staticcall(abi.encodeWithSelector(0x1626ba7e, digest, signature));
        return ok && result.length >= 32 && abi.decode(result, (bytes32)) == bytes32(bytes4(0x1626ba7e));
    }

    /// Strict: 65 bytes, low s, v of 27 or 28.
    function _isKeySignature(address signer, bytes32 digest, bytes calldata signature) private pure returns (bool) {
        if (signer == address(0) || signature.length != 65) return false;
        uint8 v = uint8(signature[64]);
        bytes32 s = bytes32(signature[32:64]);
        if (v != 27 && v != 28) return false;
        if (uint256(s) > 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0) return false;
        return ecrecover(digest, v, bytes32(signature[0:32]), s) == signer;
    }

    function _digest(bytes32 structHash) private view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("x402 Batch Settlement"), keccak256("1"), block.chainid, address(this)
            )
        );
        return keccak256(abi.encodePacked("\x19\x01", domain, structHash));
    }
}

/// Stands in for `ERC3009DepositCollector`: takes the payer's EIP-3009 authorization, whose nonce binds the channel, and
/// hands the money to the settlement contract.
contract Erc3009DepositCollector {
    /// Where the settlement contract is on every chain.
    address private constant settlement = 0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003;

    error OnlySettlement();

    function collect(address payer, address token, uint256 amount, bytes32 channelId, bytes calldata data) external {
        if (msg.sender != settlement) revert OnlySettlement();
        (uint256 validAfter, uint256 validBefore, uint256 salt, bytes memory signature) =
            abi.decode(data, (uint256, uint256, uint256, bytes));
        bytes32 nonce = keccak256(abi.encode(channelId, salt));
        Token(token).receiveWithAuthorization(payer, address(this), amount, validAfter, validBefore, nonce, signature);
        require(Token(token).transfer(settlement, amount));
    }
}
