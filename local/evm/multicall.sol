// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Stands in for Uniswap's interface multicall on local chains: the same function and the same behaviour. Each call gets
/// its own gas limit, and one that fails leaves the others untouched.
contract InterfaceMulticall {
    struct Call {
        address target;
        uint256 gasLimit;
        bytes callData;
    }

    struct Result {
        bool success;
        uint256 gasUsed;
        bytes returnData;
    }

    function multicall(Call[] memory calls) external returns (uint256 blockNumber, Result[] memory returnData) {
        blockNumber = block.number;
        returnData = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            uint256 gasBefore = gasleft();
            (bool success, bytes memory answer) =
                calls[i].target.call{gas: calls[i].gasLimit}(calls[i].callData);
            returnData[i] = Result(success, gasBefore - gasleft(), answer);
        }
    }
}
