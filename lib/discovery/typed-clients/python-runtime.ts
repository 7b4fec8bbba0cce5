/** The part of the Python client before its types. */
export function pythonRuntime(publicUrl: string): string {
  return `from __future__ import annotations

import base64
import http.client
import json
import re
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Callable, Dict, List, Literal, Mapping, Optional, Tuple, TypedDict, Union, cast

BASE_URL = ${JSON.stringify(publicUrl)}
# Seconds. Longer than the longest call.
ATTEMPT_SECONDS = 90`;
}

/** The class of the Python client, up to its methods for calls. */
export const pythonClass = `class TuppenceError(Exception):
    """A call that failed. \`payment\` is what happened to the money, \`retry\` what to do next.

    After \`payment\` \`unknown\` or \`in_flight\`, make the same call again with \`idempotency_key\`; it is not charged twice.
    """

    def __init__(self, failure: Mapping[str, Any], status: Optional[int], idempotency_key: str) -> None:
        super().__init__(f"{failure['code']}: {failure['message']}")
        self.code: str = failure["code"]
        self.payment: str = failure["payment"]
        self.retry: str = failure["retry"]
        self.issues: List[Dict[str, str]] = failure.get("issues", [])
        self.paid_call_id: Optional[str] = failure.get("paidCallId")
        self.status = status
        self.idempotency_key = idempotency_key


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A token or a payment goes to the service and nowhere else."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


class Wallet:
    """Pays each call over x402. \`sign\` signs EIP-712 typed data and returns the signature in hex."""

    def __init__(self, address: str, sign: Callable[[Dict[str, Any]], str], networks: Optional[List[str]] = None) -> None:
        self.address = address
        self.sign = sign
        self.networks = networks or list(USDC)

    def pay(self, terms: Mapping[str, Any], limit: int) -> str:
        """The header that pays what a 402 asks for, in USDC, and at most \`limit\` (atomic units)."""
        offers = [one for one in terms["accepts"] if self._is_known(one) and int(one["amount"]) <= limit]
        if not offers:
            raise ValueError("The service asks for a payment on another network, in another token or above the limit.")
        offer = min(offers, key=lambda one: self.networks.index(one["network"]))
        now = int(time.time())
        authorization = {
            "from": self.address,
            "to": offer["payTo"],
            "value": offer["amount"],
            # Clocks differ.
            "validAfter": str(now - 600),
            "validBefore": str(now + int(offer["maxTimeoutSeconds"])),
            "nonce": "0x" + secrets.token_hex(32),
        }
        signature = self.sign(typed_data(authorization, USDC[offer["network"]]))
        payment = {
            "x402Version": 2,
            "resource": terms.get("resource"),
            "accepted": offer,
            "payload": {"authorization": authorization, "signature": signature},
            "extensions": terms.get("extensions"),
        }
        known = {name: value for name, value in payment.items() if value is not None}
        return base64.b64encode(json.dumps(known).encode()).decode()

    def _is_known(self, offer: Mapping[str, Any]) -> bool:
        token = USDC.get(offer["network"]) if offer["network"] in self.networks else None
        return token is not None and offer["scheme"] == "exact" and offer["asset"].lower() == token["asset"].lower()


def typed_data(authorization: Mapping[str, str], token: Mapping[str, Any]) -> Dict[str, Any]:
    """What a wallet signs to let the service transfer USDC (EIP-3009)."""
    return {
        "types": {
            "EIP712Domain": [
                {"name": "name", "type": "string"},
                {"name": "version", "type": "string"},
                {"name": "chainId", "type": "uint256"},
                {"name": "verifyingContract", "type": "address"},
            ],
            "TransferWithAuthorization": [
                {"name": "from", "type": "address"},
                {"name": "to", "type": "address"},
                {"name": "value", "type": "uint256"},
                {"name": "validAfter", "type": "uint256"},
                {"name": "validBefore", "type": "uint256"},
                {"name": "nonce", "type": "bytes32"},
            ],
        },
        "primaryType": "TransferWithAuthorization",
        "domain": {
            "name": token["name"],
            "version": token["version"],
            "chainId": token["chain_id"],
            "verifyingContract": token["asset"],
        },
        "message": {
            **authorization,
            "value": int(authorization["value"]),
            "validAfter": int(authorization["validAfter"]),
            "validBefore": int(authorization["validBefore"]),
        },
    }


class Tuppence:
    """All calls. A wallet or the token of a prepaid account pays; free calls need neither."""

    def __init__(
        self,
        base_url: str = BASE_URL,
        wallet: Optional[Wallet] = None,
        account_token: Optional[str] = None,
        limit: int = 1_000_000,
        patience_seconds: float = 60,
    ) -> None:
        """
        :param limit: the most that one call may cost when the wallet pays, in millionths of a USDC
        :param patience_seconds: how long a lost response is asked for again
        """
        self.base_url = base_url.rstrip("/")
        self.wallet = wallet
        self.account_token = account_token
        self.limit = limit
        self.patience_seconds = patience_seconds

    def _call(self, name: str, input: Mapping[str, Any], idempotency_key: Optional[str]) -> Any:
        """Makes a call until its outcome is known: a lost response is asked for again with the same key and payment."""
        route = ROUTES[name]
        key = idempotency_key or str(uuid.uuid4())
        is_paid = "free" not in route["paths"]
        # A free call that changes something is not made twice.
        is_repeatable = is_paid or route["method"] == "GET" or route["takes_body"]
        url, headers, body = self._request(route, input, key)
        end = time.monotonic() + self.patience_seconds
        while True:
            wait = 1.0
            try:
                status, answer_headers, text = self._send(route["method"], url, headers, body)
                answer = json.loads(text)
                if 200 <= status < 300:
                    return answer
                terms = answer_headers.get("PAYMENT-REQUIRED")
                if status == 402 and terms and self.wallet and "PAYMENT-SIGNATURE" not in headers:
                    headers["PAYMENT-SIGNATURE"] = self.wallet.pay(json.loads(base64.b64decode(terms)), self.limit)
                    continue
                error = TuppenceError(_failure_in(answer), status, key)
                wait = float(answer_headers.get("Retry-After") or 1)
            except (OSError, http.client.HTTPException, ValueError) as cause:
                if isinstance(cause, ValueError) and not isinstance(cause, (json.JSONDecodeError, UnicodeDecodeError)):
                    raise
                failure = {
                    "code": "outcome_unknown",
                    "message": "No response came back.",
                    "payment": "unknown" if is_paid else "none",
                    "retry": "same_request",
                }
                error = TuppenceError(failure, None, key)
                error.__cause__ = cause
            if not is_repeatable or error.retry != "same_request" or time.monotonic() + wait > end:
                raise error
            time.sleep(wait)

    def _request(
        self, route: Mapping[str, Any], input: Mapping[str, Any], key: str
    ) -> Tuple[str, Dict[str, str], Optional[bytes]]:
        rail = "free" if "free" in route["paths"] else "account" if self.account_token else "x402"
        if rail not in route["paths"]:
            raise ValueError("This call cannot be paid in this way.")
        path = re.sub(r"{(\\w+)}", lambda found: urllib.parse.quote(str(input[found[1]]), safe=""), route["paths"][rail])
        query: Dict[str, str] = {}
        fields: Dict[str, Any] = {}
        token = self.account_token
        for name, value in input.items():
            place = route["places"].get(name)
            if place == "query":
                query[name] = json.dumps(value) if isinstance(value, bool) else str(value)
            elif place == "token":
                token = str(value)
            elif place != "path":
                fields[name] = value
        headers = {"Accept": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if rail != "free":
            headers["Idempotency-Key"] = key
        if route["takes_body"]:
            headers["Content-Type"] = "application/json"
        url = self.base_url + path + ("?" + urllib.parse.urlencode(query) if query else "")
        return url, headers, json.dumps(fields).encode() if route["takes_body"] else None

    @staticmethod
    def _send(
        method: str, url: str, headers: Mapping[str, str], body: Optional[bytes]
    ) -> Tuple[int, Mapping[str, str], bytes]:
        request = urllib.request.Request(url, data=body, headers=dict(headers), method=method)
        try:
            with _opener.open(request, timeout=ATTEMPT_SECONDS) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.headers, refused.read()
`;

/** The end of the Python client's module. */
export const pythonEnd = `

def _failure_in(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The failure in an error body. In a 402 of a payment protocol, nothing was charged, and its reason is a text."""
    error = answer.get("error")
    if isinstance(error, dict):
        return error
    message = error or "The service asks for a payment."
    return {"code": "payment_required", "message": message, "payment": "none", "retry": "pay"}
`;
