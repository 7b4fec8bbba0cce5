# {{about}}

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import re
import secrets
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Callable, Dict, List, Literal, Mapping, Optional, Tuple, TypedDict, Union, cast

BASE_URL = "https://api.example.com"
# Seconds. Longer than the longest call.
ATTEMPT_SECONDS = 90
# Seconds. How long to wait for a service that cannot be reached: it may be starting again.
RESTART_SECONDS = 5

# USDC on the networks that a wallet can pay on: its contract, and the domain of its signatures (EIP-712).
USDC: Dict[str, Dict[str, Any]] = {
    # {{tokens}}
}

# Where the calls are and where their arguments go.
ROUTES: Dict[str, Dict[str, Any]] = {
    # {{routes}}
}


# {{types}}


class TuppenceError(Exception):
    """A call that failed. `payment` is what happened to the money, `retry` what to do next.

    After `payment` `unknown` or `in_flight`, make the same call again with `idempotency_key`; it is not charged twice.
    """

    def __init__(self, failure: Mapping[str, Any], status: Optional[int], idempotency_key: str) -> None:
        self.code: str = failure["code"]
        # A more specific code, for example why a payment was refused.
        self.reason: Optional[str] = failure.get("reason")
        self.message: str = failure["message"]
        self.payment: str = failure["payment"]
        self.retry: str = failure["retry"]
        self.issues: List[Dict[str, str]] = failure.get("issues", [])
        # A minimal input that would be accepted.
        self.example: Any = failure.get("example")
        # With insufficient_balance: accountId, balance, price and depositUrl.
        self.account: Optional[Dict[str, str]] = failure.get("account")
        # With a refused payment: the wallet, the network (CAIP-2), and the price in USDC.
        self.payer: Optional[str] = failure.get("payer")
        self.network: Optional[str] = failure.get("network")
        self.price: Optional[str] = failure.get("price")
        self.paid_call_id: Optional[str] = failure.get("paidCallId")
        self.request_id: Optional[str] = failure.get("requestId")
        # The page about this error.
        self.docs: Optional[str] = failure.get("docs")
        self.status = status
        self.idempotency_key = idempotency_key
        parts = [f"{self.reason or self.code}: {self.message}"]
        parts += [f"{issue['path']}: {issue['rule']}." for issue in self.issues]
        if self.example is not None:
            parts.append(f"Example: {json.dumps(self.example)}")
        if self.account:
            parts.append(f"Top up at {self.account['depositUrl']}")
        known = {"payment": self.payment, "retry": self.retry, "request": self.request_id, "docs": self.docs}
        parts.append("(" + ", ".join(f"{name}: {value}" for name, value in known.items() if value) + ")")
        super().__init__(" ".join(parts))


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A token or a payment goes to the service and nowhere else."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


class Wallet:
    """Pays each call over x402. `sign` signs EIP-712 typed data and returns the signature in hex."""

    def __init__(self, address: str, sign: Callable[[Dict[str, Any]], str], networks: Optional[List[str]] = None) -> None:
        self.address = address
        self.sign = sign
        self.networks = networks or list(USDC)

    def pay(self, terms: Mapping[str, Any], limit: int) -> str:
        """The header that pays what a 402 asks for, in USDC, and at most `limit` (atomic units)."""
        offers = [one for one in terms["accepts"] if self._is_known(one)]
        if not offers:
            networks = ", ".join(sorted({one["network"] for one in terms["accepts"]}))
            raise ValueError(
                f"This wallet pays in USDC on {', '.join(self.networks)}. The service asks for a payment on {networks}. Nothing was paid."
            )
        price = min(int(one["amount"]) for one in offers)
        offers = [one for one in offers if int(one["amount"]) <= limit]
        if not offers:
            raise ValueError(
                f"The price, {price / 1e6:g} USDC, is above the limit of {limit / 1e6:g} USDC. Nothing was paid. To allow it, raise `limit`."
            )
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
        key_secret: Optional[str] = None,
    ) -> None:
        """
        :param limit: the most that one call may cost when the wallet pays, in millionths of a USDC
        :param patience_seconds: how long a lost response is asked for again
        :param key_secret: a secret that stays the same, such as the wallet's private key or the account token. Idempotency
            keys then follow from the call and its input, so a program that runs again after a crash does not pay again.
            The secret itself is not sent.
        """
        self.base_url = base_url.rstrip("/")
        self.wallet = wallet
        self.account_token = account_token
        self.limit = limit
        self.patience_seconds = patience_seconds
        self.key_secret = key_secret

    def _call(self, name: str, input: Mapping[str, Any], idempotency_key: Optional[str]) -> Any:
        """Makes a call until its outcome is known: a lost response is asked for again with the same key and payment."""
        route = ROUTES[name]
        key = idempotency_key or self._key_of(name, input)
        is_paid = "free" not in route["paths"]
        # A free call that changes something is not made twice.
        is_repeatable = is_paid or route["method"] == "GET" or route["takes_body"]
        url, headers, body = self._request(route, input, key)
        start = time.monotonic()
        end = start + self.patience_seconds
        was_sent = False
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
                if not was_sent and _is_not_sent(cause):
                    if time.monotonic() + wait <= min(end, start + RESTART_SECONDS):
                        time.sleep(wait)
                        continue
                    raise TuppenceError(NOT_SENT, None, key) from cause
                was_sent = True
                failure = {
                    "code": "outcome_unknown",
                    "message": "No response came back. Make the same call again with the same key; it is not charged twice."
                    if is_paid
                    else "No response came back.",
                    "payment": "unknown" if is_paid else "none",
                    "retry": "same_request",
                }
                error = TuppenceError(failure, None, key)
                error.__cause__ = cause
            if not is_repeatable or error.retry != "same_request" or time.monotonic() + wait > end:
                raise error
            time.sleep(wait)

    def _key_of(self, name: str, input: Mapping[str, Any]) -> str:
        if self.key_secret is None:
            return str(uuid.uuid4())
        text = json.dumps([name, input], sort_keys=True)
        return hmac.new(self.key_secret.encode(), text.encode(), hashlib.sha256).hexdigest()

    def _request(
        self, route: Mapping[str, Any], input: Mapping[str, Any], key: str
    ) -> Tuple[str, Dict[str, str], Optional[bytes]]:
        rail = "free" if "free" in route["paths"] else "account" if self.account_token else "x402"
        if rail not in route["paths"]:
            ways = ["an account_token" if one == "account" else "a wallet" for one in route["paths"] if one != "mpp"]
            raise ValueError(f"This call cannot be paid in this way. It can be paid with {' or '.join(ways)}.")
        path = re.sub(r"{(\w+)}", lambda found: urllib.parse.quote(str(input[found[1]]), safe=""), route["paths"][rail])
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

    # {{methods}}


NOT_SENT = {
    "code": "not_sent",
    "message": "The service cannot be reached. Nothing was sent, and nothing was charged. Check the address and the connection.",
    "payment": "none",
    "retry": "later",
}


def _is_not_sent(cause: BaseException) -> bool:
    """Whether the connection was never made, so that nothing was sent."""
    return isinstance(getattr(cause, "reason", None), (ConnectionRefusedError, socket.gaierror))


def _failure_in(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The failure in an error body. In a 402 of a payment protocol, the facts are beside the protocol's own fields."""
    error = answer.get("error")
    if isinstance(error, dict):
        return error
    facts = {name: answer[name] for name in ("payer", "network", "price", "docs") if name in answer}
    return {
        "code": "payment_required",
        "reason": answer.get("reason") or error,
        "message": answer.get("message") or "The service asks for a payment.",
        "payment": "none",
        "retry": answer.get("retry", "pay"),
        **facts,
    }
