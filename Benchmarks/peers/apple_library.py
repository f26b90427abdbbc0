"""The peer of `till-bench proof`: Apple's app-store-server-library on the same signed transactions.

Online checks are off, as in Till: both verify offline against a given root. For every line on standard
input it verifies for a slice of processor time and prints the rate.

    apple_library.py ROOT.der PROOFS.txt BUNDLE_ID
"""

import sys
import time

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

SLICE = 0.6


def main() -> None:
    root_path, proofs_path, bundle_id = sys.argv[1:4]
    with open(root_path, "rb") as file:
        root = file.read()
    with open(proofs_path, encoding="utf-8") as file:
        proofs = file.read().split()
    verifier = SignedDataVerifier([root], False, Environment.SANDBOX, bundle_id)
    for expected, proof in enumerate(proofs):
        transaction = verifier.verify_and_decode_signed_transaction(proof)
        assert transaction.bundleId == bundle_id, expected
    index = 0
    for _ in sys.stdin:
        count = 0
        start = time.process_time()
        elapsed = 0.0
        while elapsed < SLICE:
            verifier.verify_and_decode_signed_transaction(proofs[index])
            index = (index + 1) % len(proofs)
            count += 1
            elapsed = time.process_time() - start
        print(count / elapsed, flush=True)


if __name__ == "__main__":
    main()
