// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// In the shape of Coinbase Smart Wallet: a signature names one of the owners, which are keys or passkeys, and what they
/// sign is the digest, hashed again for this wallet.
contract OwnedWallet {
    struct SignatureWrapper {
        uint256 ownerIndex;
        bytes signatureData;
    }

    struct WebAuthnAuth {
        bytes authenticatorData;
        bytes clientDataJSON;
        uint256 challengeIndex;
        uint256 typeIndex;
        uint256 r;
        uint256 s;
    }

    address private constant P256_VERIFY = address(0x100);

    /// 32 bytes of an address, or 64 of a point of P-256.
    bytes[] private owners;

    constructor(bytes[] memory first) {
        for (uint256 i = 0; i < first.length; i++) owners.push(first[i]);
    }

    function replaySafeHash(bytes32 hash) public view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("Coinbase Smart Wallet"),
                keccak256("1"),
                block.chainid,
                address(this)
            )
        );
        bytes32 message = keccak256(abi.encode(keccak256("CoinbaseSmartWalletMessage(bytes32 hash)"), hash));
        return keccak256(abi.encodePacked("\x19\x01", domain, message));
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        SignatureWrapper memory wrapper = abi.decode(signature, (SignatureWrapper));
        bytes memory owner = owners[wrapper.ownerIndex];
        bytes32 digest = replaySafeHash(hash);
        bool isValid = owner.length == 32
            ? recover(digest, wrapper.signatureData) == abi.decode(owner, (address))
            : isFromPasskey(digest, wrapper.signatureData, owner);
        return isValid ? this.isValidSignature.selector : bytes4(0xffffffff);
    }

    function recover(bytes32 digest, bytes memory signature) private pure returns (address) {
        require(signature.length == 65, "length");
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly ("memory-safe") {
            r := mload(add(signature, 0x20))
            s := mload(add(signature, 0x40))
            v := byte(0, mload(add(signature, 0x60)))
        }
        return ecrecover(digest, v, r, s);
    }

    function isFromPasskey(bytes32 digest, bytes memory signature, bytes memory owner) private view returns (bool) {
        WebAuthnAuth memory auth = abi.decode(signature, (WebAuthnAuth));
        bytes memory challenge = abi.encodePacked('"challenge":"', base64Url(digest), '"');
        for (uint256 i = 0; i < challenge.length; i++) {
            if (auth.clientDataJSON[auth.challengeIndex + i] != challenge[i]) return false;
        }
        bytes32 message = sha256(abi.encodePacked(auth.authenticatorData, sha256(auth.clientDataJSON)));
        (bool ok, bytes memory answer) = P256_VERIFY.staticcall(abi.encodePacked(message, auth.r, auth.s, owner));
        return ok && answer.length == 32 && abi.decode(answer, (uint256)) == 1;
    }

    function base64Url(bytes32 data) private pure returns (bytes memory text) {
        bytes memory digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        text = new bytes(43);
        for (uint256 i = 0; i < 43; i++) {
            // The last digit has four bits of the data, and two of nothing.
            uint256 bits = i < 42 ? uint256(data) >> (250 - 6 * i) : uint256(data) << 2;
            text[i] = digits[bits & 63];
        }
    }
}

/// A delegate (EIP-7702) that does not take the plain signature of the account's key: a mark goes before it, and what is
/// signed is the digest, hashed again for this account.
contract MarkingDelegate {
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 66 || signature[0] != 0x07) return 0xffffffff;
        bytes32 digest = keccak256(abi.encode("marked", address(this), hash));
        address signer =
            ecrecover(digest, uint8(signature[65]), bytes32(signature[1:33]), bytes32(signature[33:65]));
        return signer == address(this) ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}
