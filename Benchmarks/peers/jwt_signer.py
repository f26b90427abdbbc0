"""The peer of `till-bench store`: PyJWT with cryptography signs what a purchase needs.

For every line on standard input it signs for a slice of processor time and prints how many purchases a second
that would make: a transaction for the app, the same once more for the server, and the notification around it.
Nothing is kept, decided or delivered.

    jwt_signer.py CHAIN.json TRANSACTION.json NOTIFICATION.json
"""

import json
import sys
import time

import jwt
from cryptography.hazmat.primitives.asymmetric import ec

SLICE = 0.6


def main() -> None:
    chain, transaction, notification = (
        json.load(open(path, encoding="utf-8")) for path in sys.argv[1:4])
    key = ec.generate_private_key(ec.SECP256R1())
    headers = {"x5c": chain}

    def sign(payload):
        return jwt.encode(payload, key, algorithm="ES256", headers=headers)

    for _ in sys.stdin:
        count = 0
        start = time.process_time()
        elapsed = 0.0
        while elapsed < SLICE:
            sign(transaction)
            notification["data"]["signedTransactionInfo"] = sign(transaction)
            sign(notification)
            count += 1
            elapsed = time.process_time() - start
        print(count / elapsed, flush=True)


if __name__ == "__main__":
    main()
