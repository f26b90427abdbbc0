"""The peer of `till-bench purchases`: the purchase route as a careful Python service would write it.

FastAPI on uvicorn, Apple's app-store-server-library for the proof (online checks off, a given root),
SQLite in WAL mode with synchronous=FULL. It makes the same checks and the same commits as
`POST /v1/purchases`: caller, order lookup, signature and chain, bundle, environment, product, unique
insert, grant, wallet entry, commit, and the same answer.

    fastapi_server.py --port 8090 --root root.der --bundle-id com.example.app --database peer.db \
        --secret-key sk_… --product com.example.coins600=coins:600 --workers 2
"""

import argparse
import hmac
import json
import os
import sqlite3
import threading
import time
import uuid

import uvicorn
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException
from fastapi import FastAPI, Header, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel

SETTINGS = "TILL_PEER_SETTINGS"

SCHEMA = """
CREATE TABLE IF NOT EXISTS orders (
    id TEXT PRIMARY KEY, customer TEXT NOT NULL, product TEXT NOT NULL, quantity INTEGER NOT NULL,
    opened_at INTEGER NOT NULL, status TEXT NOT NULL, transaction_id TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS transactions (
    environment TEXT NOT NULL, id TEXT NOT NULL, original_id TEXT NOT NULL, product TEXT NOT NULL,
    quantity INTEGER NOT NULL, customer TEXT NOT NULL, order_id TEXT, purchase_date INTEGER,
    proof TEXT NOT NULL, recorded_at INTEGER NOT NULL, PRIMARY KEY (environment, id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS transactions_by_customer ON transactions (customer);
CREATE TABLE IF NOT EXISTS wallet (
    customer TEXT NOT NULL, currency TEXT NOT NULL, transaction_id TEXT NOT NULL,
    amount INTEGER NOT NULL, PRIMARY KEY (customer, currency, transaction_id)) WITHOUT ROWID;
"""


class OrderRequest(BaseModel):
    productId: str
    quantity: int = 1


class PurchaseRequest(BaseModel):
    signedTransactions: list[str]
    orderId: str | None = None
    restore: bool = False


def problem(status: int, code: str) -> JSONResponse:
    return JSONResponse(
        {"status": status, "code": code},
        status_code=status,
        media_type="application/problem+json",
    )


def now() -> int:
    return int(time.time() * 1000)


def make_app() -> FastAPI:
    settings = json.loads(os.environ[SETTINGS])
    with open(settings["root"], "rb") as file:
        root = file.read()
    verifier = SignedDataVerifier(
        [root], False, Environment.SANDBOX, settings["bundle_id"], None
    )
    products = settings["products"]
    secret = settings["secret_key"].encode()
    local = threading.local()

    def database() -> sqlite3.Connection:
        # One connection a thread: FastAPI runs plain functions on a pool of threads.
        if not hasattr(local, "connection"):
            connection = sqlite3.connect(
                settings["database"], timeout=30, isolation_level=None, cached_statements=64
            )
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            local.connection = connection
        return local.connection

    def is_backend(authorization: str | None) -> bool:
        given = (authorization or "").removeprefix("Bearer ").encode()
        return hmac.compare_digest(given, secret)

    app = FastAPI()

    @app.post("/v1/orders")
    def open_order(
        body: OrderRequest,
        authorization: str | None = Header(default=None),
        till_customer: str | None = Header(default=None),
    ):
        if not is_backend(authorization) or not till_customer:
            return problem(401, "unauthenticated")
        if body.productId not in products:
            return problem(422, "unknownProduct")
        order = str(uuid.uuid4())
        database().execute(
            "INSERT INTO orders VALUES (?, ?, ?, ?, ?, 'open', NULL)",
            (order, till_customer, body.productId, body.quantity, now()),
        )
        return JSONResponse(
            {
                "orderId": order,
                "status": "open",
                "productId": body.productId,
                "quantity": body.quantity,
                "expiresAt": now() + 86_400_000,
            },
            status_code=201,
        )

    @app.post("/v1/purchases")
    def purchases(
        body: PurchaseRequest,
        authorization: str | None = Header(default=None),
        till_customer: str | None = Header(default=None),
    ):
        if not is_backend(authorization) or not till_customer:
            return problem(401, "unauthenticated")
        verified = []
        for proof in body.signedTransactions:
            try:
                verified.append((verifier.verify_and_decode_signed_transaction(proof), proof))
            except VerificationException:
                return problem(422, "proofRefused")
        connection = database()
        results = []
        connection.execute("BEGIN IMMEDIATE")
        try:
            for transaction, proof in verified:
                results.append(record(connection, till_customer, transaction, proof))
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        return {"results": results, "customer": customer_document(connection, till_customer)}

    def record(connection, customer, transaction, proof):
        environment = transaction.environment.value
        identifier = transaction.transactionId
        result = {
            "transactionId": identifier,
            "originalTransactionId": transaction.originalTransactionId,
            "productId": transaction.productId,
            "environment": environment,
        }
        known = connection.execute(
            "SELECT customer, order_id FROM transactions WHERE environment = ? AND id = ?",
            (environment, identifier),
        ).fetchone()
        if known:
            outcome = "alreadyGranted" if known[0] == customer else "refused"
            return result | {"outcome": outcome, "finish": True, "orderId": known[1]}
        credits = products.get(transaction.productId)
        if credits is None or transaction.revocationDate:
            return result | {"outcome": "refused", "finish": bool(transaction.revocationDate)}
        order = connection.execute(
            "SELECT id, customer, product FROM orders WHERE id = ?", (transaction.appAccountToken,)
        ).fetchone()
        if order and order[1] != customer:
            return result | {"outcome": "refused", "reason": "belongsToAnother", "finish": True}
        order_id = order[0] if order and order[2] == transaction.productId else None
        connection.execute(
            "INSERT INTO transactions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                environment, identifier, transaction.originalTransactionId, transaction.productId,
                transaction.quantity or 1, customer, order_id, transaction.purchaseDate, proof,
                now(),
            ),
        )
        for currency, amount in credits.items():
            connection.execute(
                "INSERT INTO wallet VALUES (?, ?, ?, ?)",
                (customer, currency, identifier, amount * (transaction.quantity or 1)),
            )
        if order_id:
            connection.execute(
                "UPDATE orders SET status = 'fulfilled', transaction_id = ? WHERE id = ?",
                (identifier, order_id),
            )
        return result | {"outcome": "granted", "finish": True, "orderId": order_id}

    def customer_document(connection, customer):
        balances = dict(
            connection.execute(
                "SELECT currency, SUM(amount) FROM wallet WHERE customer = ? GROUP BY currency",
                (customer,),
            ).fetchall()
        )
        transactions = connection.execute(
            "SELECT id, original_id, product, quantity, environment, purchase_date, order_id"
            " FROM transactions WHERE customer = ?",
            (customer,),
        ).fetchall()
        names = (
            "transactionId", "originalTransactionId", "productId", "quantity", "environment",
            "purchaseDate", "orderId",
        )
        return {
            "customerId": customer,
            "entitlements": [],
            "balances": balances,
            "transactions": [dict(zip(names, row)) for row in transactions],
        }

    @app.get("/healthz")
    def health(request: Request):
        return {"status": "ok"}

    return app


def credits(text: str) -> tuple[str, dict[str, int]]:
    product, _, amounts = text.partition("=")
    pairs = (amount.split(":") for amount in amounts.split(",") if amount)
    return product, {currency: int(number) for currency, number in pairs}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--bundle-id", required=True)
    parser.add_argument("--database", required=True)
    parser.add_argument("--secret-key", required=True)
    parser.add_argument("--product", action="append", default=[])
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    connection = sqlite3.connect(arguments.database, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.executescript(SCHEMA)
    connection.close()
    os.environ[SETTINGS] = json.dumps(
        {
            "root": arguments.root,
            "bundle_id": arguments.bundle_id,
            "database": arguments.database,
            "secret_key": arguments.secret_key,
            "products": dict(credits(text) for text in arguments.product),
        }
    )
    uvicorn.run(
        "fastapi_server:make_app",
        factory=True,
        host="127.0.0.1",
        port=arguments.port,
        workers=arguments.workers,
        log_level="warning",
        access_log=False,
        app_dir=os.path.dirname(os.path.abspath(__file__)),
    )


if __name__ == "__main__":
    main()
