"""Apple's app-store-server-library, unmodified, as the client of a local store.

    apple_library_client.py SANDBOX_URL PRODUCTION_URL

Calls every endpoint of the App Store Server API that the store has, verifies every signed thing against the
store's root, receives and verifies every notification, and meets every error code as its typed error. Prints
a line for each part and ends with 0, or with the first thing that is wrong.
"""

import base64
import hashlib
import http.server
import json
import subprocess
import sys
import tempfile
import threading
import time
import uuid

import requests
from appstoreserverlibrary.api_client import (
    APIError,
    APIException,
    AppStoreServerAPIClient,
    GetTransactionHistoryVersion,
)
from appstoreserverlibrary.models.AccountTenure import AccountTenure
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.ConsumptionRequestV1 import ConsumptionRequestV1
from appstoreserverlibrary.models.ConsumptionStatus import ConsumptionStatus
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.DeliveryStatusV1 import DeliveryStatusV1
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.InAppOwnershipType import InAppOwnershipType
from appstoreserverlibrary.models.LifetimeDollarsPurchased import LifetimeDollarsPurchased
from appstoreserverlibrary.models.LifetimeDollarsRefunded import LifetimeDollarsRefunded
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.OrderLookupStatus import OrderLookupStatus
from appstoreserverlibrary.models.Platform import Platform
from appstoreserverlibrary.models.PlayTime import PlayTime
from appstoreserverlibrary.models.RefundPreference import RefundPreference
from appstoreserverlibrary.models.RefundPreferenceV1 import RefundPreferenceV1
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult
from appstoreserverlibrary.models.Status import Status
from appstoreserverlibrary.models.Subtype import Subtype
from appstoreserverlibrary.models.TransactionHistoryRequest import (
    Order,
    ProductType,
    TransactionHistoryRequest,
)
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest
from appstoreserverlibrary.models.UserStatus import UserStatus
from appstoreserverlibrary.receipt_utility import ReceiptUtility
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, pkcs7

SANDBOX, PRODUCTION = sys.argv[1:3]
DAY = 86_400_000
MONTHLY = "com.example.pro.monthly"
COINS = "com.example.coins600"


class Store:
    """The control API of the store."""

    def call(self, method, path, body=None, **query):
        answer = requests.request(
            method, f"{SANDBOX}/control/v1{path}", json=body, params=query, timeout=120)
        assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json()

    def buy(self, product, **order):
        return self.call("POST", "/purchases", {"productId": product, **order})

    def act(self, kind, name, **action):
        return self.call("POST", f"/{kind}/{name}", action)

    def move(self, **change):
        return self.call("POST", "/clock", change)

    def faults(self, *rules):
        return self.call("PUT", "/faults", {"rules": list(rules)})


class Receiver(http.server.BaseHTTPRequestHandler):
    """Takes notifications, as a developer's server does."""

    bodies = []

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        Receiver.bodies.append(json.loads(self.rfile.read(length)))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def refusal(work, *arguments):
    """The error that the library raises."""
    try:
        work(*arguments)
    except APIException as error:
        return error
    raise AssertionError("nothing was refused")


def expect(error, work, *arguments):
    found = refusal(work, *arguments)
    assert found.api_error == error, (found.api_error, found.http_status_code, error)
    assert found.http_status_code == error.value // 10_000


def wait_for(condition, what):
    """Waits for what another thread does, half a minute at the most."""
    for _ in range(600):
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"waited in vain for {what}")


store = Store()
info = store.call("GET", "/info")
root = base64.b64decode(info["rootCertificate"])
assert hashlib.sha256(root).hexdigest() == info["rootFingerprint"]
bundle = info["bundleId"]


def client_of(environment, url, key=None, key_id=None, issuer=None, bundle_id=None):
    client = AppStoreServerAPIClient(
        key or info["apiKey"]["privateKey"].encode(), key_id or info["apiKey"]["keyId"],
        issuer or info["apiKey"]["issuerId"], bundle_id or bundle, environment)
    client._base_url = url
    return client


sandbox = client_of(Environment.SANDBOX, SANDBOX)
production = client_of(Environment.PRODUCTION, PRODUCTION)
sandbox_verifier = SignedDataVerifier([root], False, Environment.SANDBOX, bundle)
production_verifier = SignedDataVerifier(
    [root], False, Environment.PRODUCTION, bundle, info["appAppleId"])

receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()
receiver_url = f"http://127.0.0.1:{receiver.server_address[1]}/notifications"


def check_tokens():
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import NoEncryption, PrivateFormat

    other = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    for wrong in (
        client_of(Environment.SANDBOX, SANDBOX, key=other),
        client_of(Environment.SANDBOX, SANDBOX, key_id="ABCDEFGHIJ"),
        client_of(Environment.SANDBOX, SANDBOX, issuer=str(uuid.uuid4())),
        client_of(Environment.SANDBOX, SANDBOX, bundle_id="com.example.other"),
    ):
        error = refusal(wrong.get_transaction_info, "1")
        assert error.http_status_code == 401 and error.raw_api_error is None
    bare = requests.get(f"{SANDBOX}/inApps/v1/transactions/1", timeout=10)
    assert bare.status_code == 401 and bare.text.strip() == "Unauthenticated"


def check_transactions(bought, coins):
    name = bought["transactionId"]
    answer = sandbox.get_transaction_info(name)
    transaction = sandbox_verifier.verify_and_decode_signed_transaction(answer.signedTransactionInfo)
    assert transaction.transactionId == name and transaction.productId == MONTHLY
    assert transaction.environment == Environment.SANDBOX and transaction.bundleId == bundle
    try:
        production_verifier.verify_and_decode_signed_transaction(answer.signedTransactionInfo)
        raise AssertionError("a sandbox transaction passed in production")
    except VerificationException:
        pass
    sandbox_verifier.verify_and_decode_signed_transaction(bought["signedTransactionInfo"])
    sandbox_verifier.verify_and_decode_renewal_info(bought["signedRenewalInfo"])

    app = sandbox_verifier.verify_and_decode_app_transaction(
        sandbox.get_app_transaction_info(name).signedAppTransactionInfo)
    assert app.bundleId == bundle and app.appTransactionId
    assert sandbox.get_app_transaction_info(app.appTransactionId).signedAppTransactionInfo
    expect(
        APIError.APP_TRANSACTION_ID_NOT_SUPPORTED_ERROR, sandbox.get_transaction_info,
        app.appTransactionId)
    expect(APIError.INVALID_TRANSACTION_ID, sandbox.get_transaction_info, "abc")
    expect(APIError.TRANSACTION_ID_NOT_FOUND, sandbox.get_transaction_info, "9")
    expect(APIError.TRANSACTION_ID_NOT_FOUND, production.get_transaction_info, name)

    token = str(uuid.uuid4())
    sandbox.set_app_account_token(
        bought["originalTransactionId"], UpdateAppAccountTokenRequest(appAccountToken=token))
    again = sandbox_verifier.verify_and_decode_signed_transaction(
        sandbox.get_transaction_info(name).signedTransactionInfo)
    assert again.appAccountToken == token
    expect(
        APIError.INVALID_APP_ACCOUNT_TOKEN_UUID_ERROR, sandbox.set_app_account_token, name,
        UpdateAppAccountTokenRequest(appAccountToken="no uuid"))
    expect(
        APIError.ORIGINAL_TRANSACTION_ID_NOT_FOUND, sandbox.set_app_account_token, "9",
        UpdateAppAccountTokenRequest(appAccountToken=token))

    v1 = lambda: sandbox.get_transaction_history(
        name, None, TransactionHistoryRequest(productIds=[COINS]), GetTransactionHistoryVersion.V1)
    assert len(v1().signedTransactions) == 1
    sandbox.finish_transaction(coins["transactionId"])
    assert not v1().signedTransactions
    assert store.call("GET", f"/transactions/{coins['transactionId']}")["transaction"]["isFinished"]
    expect(APIError.TRANSACTION_ID_NOT_FOUND, sandbox.finish_transaction, "9")


def check_history(name):
    version = GetTransactionHistoryVersion.V2

    def all_pages(**filters):
        request = TransactionHistoryRequest(**filters)
        found, revision = [], None
        while True:
            page = sandbox.get_transaction_history(name, revision, request, version)
            assert page.environment == Environment.SANDBOX and page.bundleId == bundle
            assert len(page.signedTransactions) <= 20
            found += [
                sandbox_verifier.verify_and_decode_signed_transaction(signed)
                for signed in page.signedTransactions
            ]
            revision = page.revision
            if not page.hasMore:
                return found, revision

    for _ in range(25):
        store.buy(COINS)
    everything, revision = all_pages()
    assert len(everything) >= 27, len(everything)
    assert len({one.transactionId for one in everything}) == len(everything)
    down, _ = all_pages(sort=Order.DESCENDING)
    assert [one.transactionId for one in down] == [one.transactionId for one in everything][::-1]
    assert {one.productId for one in all_pages(productIds=[MONTHLY])[0]} == {MONTHLY}
    kinds = all_pages(productTypes=[ProductType.CONSUMABLE])[0]
    assert len(kinds) >= 26 and {one.productId for one in kinds} == {COINS}
    assert all_pages(subscriptionGroupIdentifiers=["21500001"])[0]
    assert not all_pages(subscriptionGroupIdentifiers=["1"])[0]
    assert not all_pages(inAppOwnershipType=InAppOwnershipType.FAMILY_SHARED)[0]
    assert not all_pages(revoked=True)[0]
    assert len(all_pages(revoked=False)[0]) == len(everything)
    assert not all_pages(endDate=1)[0]
    assert len(all_pages(startDate=1)[0]) == len(everything)
    # A revision goes on where it was: only what is new comes.
    new = store.buy(COINS)["transactionId"]
    page = sandbox.get_transaction_history(name, revision, TransactionHistoryRequest(), version)
    assert [
        sandbox_verifier.verify_and_decode_signed_transaction(one).transactionId
        for one in page.signedTransactions
    ] == [new]
    expect(
        APIError.INVALID_REQUEST_REVISION, sandbox.get_transaction_history, name, "nonsense",
        TransactionHistoryRequest(), version)
    for field, value, error in (
        ("productType", "SHOES", APIError.INVALID_PRODUCT_TYPE),
        ("sort", "UP", APIError.INVALID_SORT),
        ("startDate", "soon", APIError.INVALID_START_DATE),
        ("endDate", "-1", APIError.INVALID_END_DATE),
        ("revoked", "maybe", APIError.INVALID_REVOKED),
        ("excludeRevoked", "2", APIError.INVALID_EXCLUDE_REVOKED),
        ("productId", "", APIError.INVALID_PRODUCT_ID),
        ("subscriptionGroupIdentifier", "", APIError.INVALID_SUBSCRIPTION_GROUP_IDENTIFIER),
        ("inAppOwnershipType", "STOLEN", APIError.INVALID_IN_APP_OWNERSHIP_TYPE),
    ):
        expect(
            error, sandbox._make_request, f"/inApps/v2/history/{name}", "GET", {field: [value]},
            None, None)


def check_subscriptions(name):
    answer = sandbox.get_all_subscription_statuses(name)
    assert answer.environment == Environment.SANDBOX and answer.bundleId == bundle
    last = answer.data[0].lastTransactions[0]
    assert last.status == Status.ACTIVE and last.originalTransactionId == name
    sandbox_verifier.verify_and_decode_signed_transaction(last.signedTransactionInfo)
    renewal = sandbox_verifier.verify_and_decode_renewal_info(last.signedRenewalInfo)
    assert renewal.originalTransactionId == name
    assert not sandbox.get_all_subscription_statuses(name, [Status.EXPIRED]).data
    expect(
        APIError.INVALID_STATUS, sandbox._make_request, f"/inApps/v1/subscriptions/{name}", "GET",
        {"status": ["9"]}, None, None)
    expect(APIError.TRANSACTION_ID_NOT_FOUND, sandbox.get_all_subscription_statuses, "9")


def extension(**fields):
    return ExtendRenewalDateRequest(
        **{
            "extendByDays": 30, "extendReasonCode": ExtendReasonCode.OTHER,
            "requestIdentifier": str(uuid.uuid4()), **fields,
        })


def check_extensions():
    """In production, where days are days."""
    bought = store.buy(MONTHLY, environment="Production")
    name = bought["originalTransactionId"]
    extend = production.extend_subscription_renewal_date
    expect(APIError.SUBSCRIPTION_EXTENSION_INELIGIBLE, extend, name, extension())
    store.move(advanceMilliseconds=8 * DAY)
    before = production_verifier.verify_and_decode_signed_transaction(
        production.get_all_subscription_statuses(name).data[0].lastTransactions[0]
        .signedTransactionInfo).expiresDate
    store.move(advanceMilliseconds=31 * DAY)
    done = extend(name, extension(extendByDays=10))
    assert done.success and done.originalTransactionId == name and done.effectiveDate > before
    extend(name, extension(extendByDays=10))
    expect(APIError.SUBSCRIPTION_MAX_EXTENSION, extend, name, extension())
    expect(APIError.INVALID_EXTEND_BY_DAYS, extend, name, extension(extendByDays=91))
    expect(APIError.INVALID_REQUEST_IDENTIFIER, extend, name, extension(requestIdentifier=""))
    expect(APIError.INVALID_ORIGINAL_TRANSACTION_ID, extend, "abc", extension())
    expect(APIError.ORIGINAL_TRANSACTION_ID_NOT_FOUND, extend, "9", extension())
    expect(APIError.INVALID_EXTEND_REASON_CODE, extend, name, extension(extendReasonCode=None))

    mass = MassExtendRenewalDateRequest(
        extendByDays=5, extendReasonCode=ExtendReasonCode.SERVICE_ISSUE_OR_OUTAGE,
        requestIdentifier=str(uuid.uuid4()), productId=MONTHLY, storefrontCountryCodes=["USA"])
    every = production.extend_renewal_date_for_all_active_subscribers
    assert every(mass).requestIdentifier == mass.requestIdentifier
    assert every(mass).requestIdentifier == mass.requestIdentifier
    asked = production.get_status_of_subscription_renewal_date_extensions
    assert asked(mass.requestIdentifier, MONTHLY).complete is False
    store.move(advanceMilliseconds=2 * 60_000)
    status = asked(mass.requestIdentifier, MONTHLY)
    assert status.complete and status.succeededCount + status.failedCount >= 1
    expect(APIError.STATUS_REQUEST_NOT_FOUND, asked, str(uuid.uuid4()), MONTHLY)
    mass.storefrontCountryCodes = []
    expect(APIError.INVALID_EMPTY_STOREFRONT_COUNTRY_CODE_LIST, every, mass)
    mass.storefrontCountryCodes = ["XYZ"]
    expect(APIError.INVALID_STOREFRONT_COUNTRY_CODE, every, mass)
    mass.storefrontCountryCodes = None
    mass.productId = "com.example.nothing"
    expect(APIError.INVALID_PRODUCT_ID, every, mass)
    return bought


def check_orders(bought):
    order = store.call("GET", f"/transactions/{bought['transactionId']}")["orderId"]
    found = production.look_up_order_id(order)
    assert found.status == OrderLookupStatus.VALID
    transaction = production_verifier.verify_and_decode_signed_transaction(
        found.signedTransactions[0])
    assert transaction.transactionId == bought["transactionId"]
    assert production.look_up_order_id("W002182").status == OrderLookupStatus.INVALID
    assert refusal(sandbox.look_up_order_id, order).http_status_code == 404


def check_refunds(coins):
    name = coins["transactionId"]
    consumption = ConsumptionRequest(
        customerConsented=True, sampleContentProvided=False,
        deliveryStatus=DeliveryStatus.DELIVERED, consumptionPercentage=50_000,
        refundPreference=RefundPreference.DECLINE)
    store.act("transactions", name, action="requestRefund", requestReason="LEGAL")
    sandbox.send_consumption_information(name, consumption)
    first = ConsumptionRequestV1(
        customerConsented=True, consumptionStatus=ConsumptionStatus.NOT_CONSUMED,
        platform=Platform.APPLE, sampleContentProvided=False,
        deliveryStatus=DeliveryStatusV1.DELIVERED_AND_WORKING_PROPERLY, appAccountToken="",
        accountTenure=AccountTenure.UNDECLARED, playTime=PlayTime.UNDECLARED,
        lifetimeDollarsRefunded=LifetimeDollarsRefunded.UNDECLARED,
        lifetimeDollarsPurchased=LifetimeDollarsPurchased.UNDECLARED,
        userStatus=UserStatus.ACTIVE, refundPreference=RefundPreferenceV1.PREFER_DECLINE)
    sandbox.send_consumption_data(name, first)
    expect(APIError.TRANSACTION_ID_NOT_FOUND, sandbox.send_consumption_information, "9", consumption)
    consumption.customerConsented = False
    expect(
        APIError.INVALID_CUSTOMER_CONSENTED, sandbox.send_consumption_information, name, consumption)
    first.customerConsented = False
    expect(APIError.INVALID_CUSTOMER_CONSENTED, sandbox.send_consumption_data, name, first)
    first.customerConsented = True
    for field, error in (
        ("rawConsumptionStatus", APIError.INVALID_CONSUMPTION_STATUS),
        ("rawPlatform", APIError.INVALID_PLATFORM),
        ("rawDeliveryStatus", APIError.INVALID_DELIVERY_STATUS),
        ("rawAccountTenure", APIError.INVALID_ACCOUNT_TENURE),
        ("rawPlayTime", APIError.INVALID_PLAY_TIME),
        ("rawLifetimeDollarsRefunded", APIError.INVALID_LIFETIME_DOLLARS_REFUNDED),
        ("rawLifetimeDollarsPurchased", APIError.INVALID_LIFETIME_DOLLARS_PURCHASED),
        ("rawUserStatus", APIError.INVALID_USER_STATUS),
    ):
        before = getattr(first, field)
        setattr(first, field, 99)
        expect(error, sandbox.send_consumption_data, name, first)
        setattr(first, field, before)
    first.appAccountToken = "no uuid"
    expect(APIError.INVALID_APP_ACCOUNT_TOKEN, sandbox.send_consumption_data, name, first)
    first.appAccountToken = ""
    first.sampleContentProvided = None
    expect(APIError.INVALID_SAMPLE_CONTENT_PROVIDED, sandbox.send_consumption_data, name, first)

    # The sandbox decides at once; whoever asks is paid back.
    other = store.buy(COINS)["transactionId"]
    store.act("transactions", other, action="refund", reason=1)
    page = sandbox.get_refund_history(other, None)
    refunded = [
        sandbox_verifier.verify_and_decode_signed_transaction(one)
        for one in page.signedTransactions
    ]
    assert [one.transactionId for one in refunded] == [name, other] and not page.hasMore
    assert all(one.revocationDate for one in refunded)
    old = sandbox._make_request(f"/inApps/v1/refund/lookup/{other}", "GET", {}, None, dict)
    assert len(old["signedTransactions"]) == 2
    expect(APIError.INVALID_REQUEST_REVISION, sandbox.get_refund_history, other, "nonsense")
    expect(APIError.TRANSACTION_ID_NOT_FOUND, sandbox.get_refund_history, "9", None)


def check_notifications():
    expect_no_url = sandbox.request_test_notification
    store.call("PATCH", "/environments/Sandbox", {"notificationUrl": ""})
    expect(APIError.SERVER_NOTIFICATION_URL_NOT_FOUND, expect_no_url)
    store.call("PATCH", "/environments/Sandbox", {"notificationUrl": receiver_url})
    token = sandbox.request_test_notification().testNotificationToken

    def status():
        try:
            return sandbox.get_test_notification_status(token)
        except APIException as error:
            assert error.api_error == APIError.TEST_NOTIFICATION_NOT_FOUND
            return None

    done = wait_for(status, "the test notification")
    assert done.sendAttempts[0].sendAttemptResult == SendAttemptResult.SUCCESS
    test = sandbox_verifier.verify_and_decode_notification(done.signedPayload)
    assert test.notificationType == NotificationTypeV2.TEST
    expect(APIError.INVALID_TEST_NOTIFICATION_TOKEN, sandbox.get_test_notification_status, "x")
    expect(
        APIError.TEST_NOTIFICATION_NOT_FOUND, sandbox.get_test_notification_status,
        f"{uuid.uuid4()}_1")

    now = store.call("GET", "/clock")["now"]

    def request(**fields):
        return NotificationHistoryRequest(**{"startDate": now - DAY, "endDate": now + DAY, **fields})

    page = sandbox.get_notification_history(None, request())
    assert page.notificationHistory
    for item in page.notificationHistory:
        sandbox_verifier.verify_and_decode_notification(item.signedPayload)
        assert item.sendAttempts
    kind = request(notificationType=NotificationTypeV2.TEST)
    assert len(sandbox.get_notification_history(None, kind).notificationHistory) == 1
    ask = sandbox.get_notification_history
    expect(APIError.START_DATE_TOO_FAR_IN_PAST, ask, None, request(startDate=now - 181 * DAY))
    # In the sandbox Apple keeps them for thirty days.
    expect(APIError.START_DATE_TOO_FAR_IN_PAST, ask, None, request(startDate=now - 31 * DAY))
    ask(None, request(startDate=now - 29 * DAY))
    # A type alone stands for all of its subtypes.
    ask(None, request(notificationType=NotificationTypeV2.SUBSCRIBED))
    expect(APIError.START_DATE_AFTER_END_DATE, ask, None, request(endDate=now - DAY))
    expect(APIError.INVALID_START_DATE, ask, None, request(startDate=None))
    expect(APIError.INVALID_END_DATE, ask, None, request(endDate=None))
    expect(APIError.INVALID_PAGINATION_TOKEN, ask, "nonsense", request())
    expect(
        APIError.INVALID_NOTIFICATION_TYPE, ask, None,
        request(notificationType=NotificationTypeV2.TEST, notificationSubtype=Subtype.UPGRADE))
    expect(
        APIError.MULTIPLE_FILTERS_SUPPLIED, ask, None,
        request(notificationType=NotificationTypeV2.TEST, transactionId="1"))
    expect(APIError.INVALID_TRANSACTION_ID, ask, None, request(transactionId="abc"))
    expect(APIError.TRANSACTION_ID_NOT_FOUND, ask, None, request(transactionId="9"))


def check_received():
    """Every notification that came in, each signed part of it."""
    seen = []
    for body in list(Receiver.bodies):
        signed = body["signedPayload"]
        environment = json.loads(
            base64.urlsafe_b64decode(signed.split(".")[1] + "==")).get("data", {}).get("environment")
        verifier = production_verifier if environment == "Production" else sandbox_verifier
        if environment is None:
            verifier = production_verifier
        notification = verifier.verify_and_decode_notification(signed)
        if notification.data and notification.data.signedTransactionInfo:
            verifier.verify_and_decode_signed_transaction(notification.data.signedTransactionInfo)
        if notification.data and notification.data.signedRenewalInfo:
            verifier.verify_and_decode_renewal_info(notification.data.signedRenewalInfo)
        seen.append(notification.rawNotificationType)
    for kind in (
        "TEST", "SUBSCRIBED", "DID_RENEW", "ONE_TIME_CHARGE", "REFUND", "CONSUMPTION_REQUEST",
        "RENEWAL_EXTENDED", "RENEWAL_EXTENSION",
    ):
        assert kind in seen, (kind, sorted(set(seen)))
    return len(seen)


def check_receipt(bought):
    receipt = bought["receipt"]
    assert ReceiptUtility().extract_transaction_id_from_app_receipt(receipt)
    der = base64.b64decode(receipt)
    certificates = pkcs7.load_der_pkcs7_certificates(der)
    assert len(certificates) == 3
    assert x509.load_der_x509_certificate(root) in certificates
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/receipt.der", "wb") as file:
            file.write(der)
        with open(f"{folder}/root.pem", "wb") as file:
            file.write(x509.load_der_x509_certificate(root).public_bytes(Encoding.PEM))
        subprocess.run(
            [
                "openssl", "cms", "-verify", "-inform", "DER", "-in", f"{folder}/receipt.der",
                "-CAfile", f"{folder}/root.pem", "-purpose", "any", "-binary", "-out",
                f"{folder}/content",
            ], check=True, capture_output=True)
    answer = requests.post(
        f"{SANDBOX}/verifyReceipt",
        json={"receipt-data": receipt, "password": info["sharedSecret"]}, timeout=30).json()
    assert answer["status"] == 0 and answer["environment"] == "Sandbox"
    assert any(
        one["transaction_id"] == bought["transactionId"] for one in answer["receipt"]["in_app"])
    assert answer["pending_renewal_info"][0]["auto_renew_status"] in ("0", "1")


def check_error_codes(name):
    """Each code that the library knows, as its typed error."""
    for error in APIError:
        store.faults(
            {"kind": "error", "on": "/inApps/*", "errorCode": error.value, "times": 1})
        expect(error, sandbox.get_transaction_info, name)
    store.faults({"kind": "rateLimit", "on": "/inApps/*", "times": 1, "milliseconds": 5_000})
    limited = requests.get(f"{SANDBOX}/inApps/v1/transactions/{name}", timeout=10)
    assert limited.status_code == 429
    ahead = int(limited.headers["Retry-After"]) - time.time() * 1_000
    assert 0 < ahead < 60_000, ahead
    store.faults()
    assert sandbox.get_transaction_info(name).signedTransactionInfo
    return len(list(APIError))


for environment in ("Sandbox", "Production"):
    store.call("PATCH", f"/environments/{environment}", {"notificationUrl": receiver_url})
store.call("PATCH", "/environments/Sandbox", {"renewalRate": "realTime"})
subscription = store.buy(MONTHLY)
coins = store.buy(COINS)
check_tokens()
print("tokens")
check_receipt(subscription)
print("receipts")
check_transactions(subscription, coins)
print("transactions")
check_history(subscription["transactionId"])
print("histories")
check_subscriptions(subscription["originalTransactionId"])
print("subscriptions")
sold = check_extensions()
print("extensions")
check_orders(sold)
print("orders")
check_refunds(store.buy(COINS))
print("refunds and consumption")
check_notifications()
print("notifications asked for")
print(check_received(), "notifications received")
print(check_error_codes(subscription["transactionId"]), "error codes")
