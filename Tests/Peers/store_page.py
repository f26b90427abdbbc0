"""Uses the local store's page in real headless Chromium as a person would.

Usage: store_page.py URL [FOLDER]. Each step is told in a line; screenshots go to the folder. Ends with 1 at
the first step that fails, with whatever the browser's console complained of.
"""

import http.server
import json
import pathlib
import sys
import threading

from playwright.sync_api import expect, sync_playwright

CHROMIUM = "/usr/bin/chromium"


class Server(http.server.BaseHTTPRequestHandler):
    """Stands for a developer's server: takes every notification."""

    bodies = []

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        Server.bodies.append(json.loads(self.rfile.read(length)))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Person:
    """Somebody in front of the page."""

    def __init__(self, page, folder):
        self.page = page
        self.folder = folder

    def picture(self, name):
        if self.folder:
            self.page.screenshot(path=self.folder / f"{name}.png", full_page=True)

    def go(self, part):
        self.page.locator("nav").get_by_role("link", name=part).click()

    def press(self, name, inside=None):
        (inside or self.page).get_by_role("button", name=name, exact=True).first.click()

    def hears(self, text):
        expect(self.page.locator("#messages")).to_contain_text(text)

    def card(self, name):
        return self.page.locator("#part-shop").get_by_role("article", name=name, exact=True)

    def purchase(self, name):
        return self.page.locator("#part-purchases .row").filter(has_text=name).first

    def open(self, name):
        row = self.purchase(name)
        opener = row.locator(".opener")
        if opener.get_attribute("aria-expanded") == "false":
            opener.click()
        return row

    @property
    def dialog(self):
        return self.page.get_by_role("dialog")


def shop(person):
    expect(person.page.get_by_role("heading", name="Local App Store")).to_be_visible()
    person.picture("shop-first")
    card = person.card("600 Coins")
    person.press("Buy", card)
    person.hears("Bought 600 Coins")
    person.go("Purchases")
    expect(person.purchase("600 Coins")).to_contain_text("Paid, not finished")
    row = person.open("600 Coins")
    person.press("Finish it", row)
    expect(person.purchase("600 Coins")).to_contain_text("Paid and finished")


def several_with_a_token(person):
    person.go("Shop")
    card = person.card("100 Coins")
    person.press("Buy 100 Coins in another way", card)
    person.dialog.get_by_label("How many").fill("3")
    person.press("Make one", person.dialog)
    token = person.dialog.get_by_label("App account token").input_value()
    person.picture("dialog-buy")
    person.press("Buy", person.dialog)
    person.hears("Bought 100 Coins")
    person.go("Purchases")
    row = person.open("100 Coins")
    expect(row).to_contain_text("× 3")
    row.locator("summary").first.click()
    expect(row).to_contain_text(token)


def a_wrong_quantity_is_told_where_it_was_asked(person):
    person.go("Shop")
    person.press("Buy 20 Coins in another way")
    person.dialog.get_by_label("App account token").fill("no uuid")
    person.press("Buy", person.dialog)
    expect(person.dialog.get_by_role("alert")).to_contain_text("appAccountToken is no UUID")
    person.press("Cancel", person.dialog)
    expect(person.dialog).to_have_count(0)


def ask_to_buy(person):
    person.go("Shop")
    person.press("Buy Lifetime in another way")
    person.dialog.get_by_label("Ask to Buy").check()
    person.press("Buy", person.dialog)
    person.hears("waits for approval")
    person.go("Purchases")
    expect(person.purchase("Lifetime")).to_contain_text("Waiting for approval")
    person.picture("waiting")
    person.press("Approve", person.purchase("Lifetime"))
    person.hears("Bought Lifetime")
    expect(person.purchase("Lifetime")).to_contain_text("Paid")


def notifications_go_to_a_server(person, url):
    person.go("Notifications")
    person.press("Set URL…")
    person.dialog.get_by_label("URL", exact=True).fill(url)
    person.press("Save", person.dialog)
    expect(person.page.locator("#part-notifications")).to_contain_text(url)
    person.press("Send a test")
    row = person.page.locator("#part-notifications .row").filter(has_text="TEST").first
    expect(row).to_contain_text("Delivered")
    assert "signedPayload" in Server.bodies[-1], Server.bodies[-1]


def a_subscription_renews(person):
    person.press("Stop")
    person.hears("The clock stands.")
    person.go("Shop")
    person.press("Buy", person.card("Pro, monthly"))
    person.hears("Bought Pro, monthly")
    person.go("Purchases")
    row = person.open("Pro, monthly")
    expect(row).to_contain_text("Active")
    person.press("Next event")
    expect(row).to_contain_text("2 periods")
    expect(row.locator(".timeline")).to_contain_text("Renewed")
    person.press("Turn renewal off", row)
    expect(row).to_contain_text("Active, will end")
    person.press("Turn renewal on", row)
    expect(row).to_contain_text("Renews on")
    person.picture("subscription")


def a_payment_fails_and_is_repaired(person):
    row = person.open("Pro, monthly")
    person.press("Let the next charge fail", row)
    person.hears("From now on charges fail")
    person.press("Next event")
    expect(row).to_contain_text("Billing retry")
    person.picture("billing-retry")
    person.press("Repair the payment", row)
    expect(row).to_contain_text("Active")
    expect(row).to_contain_text("3 periods")


def a_refund(person):
    row = person.open("Pro, monthly")
    person.press("Refund", row)
    person.hears("Refunded in full")
    expect(row.locator(".opener")).to_contain_text("Refunded")
    expect(row.locator(".timeline")).to_contain_text("Notification: Refunded")
    person.picture("refunded")
    person.press("Reverse the refund", row)
    expect(row.locator(".opener")).to_contain_text("Active")


def plans_and_prices(person):
    row = person.open("Pro, monthly")
    person.press("Change plan…", row)
    person.dialog.get_by_label("Basic, monthly").check()
    person.picture("dialog-plan")
    person.press("Change", person.dialog)
    expect(row).to_contain_text("as Basic, monthly")
    person.press("Keep the current plan", row)
    expect(row).to_contain_text("as Pro, monthly")
    person.press("Extend…", row)
    person.dialog.get_by_label("Days").fill("30")
    before = row.locator(".opener").inner_text()
    person.press("Extend", person.dialog)
    expect(row.locator(".opener")).not_to_have_text(before)
    expect(row.locator(".timeline")).to_contain_text("Extended")
    person.press("Raise the price…", row)
    person.dialog.get_by_label("New price").fill("14.99")
    person.dialog.get_by_label("yes").check()
    person.press("Raise", person.dialog)
    expect(row).to_contain_text("asked to accept a higher price")
    person.press("Accept the higher price", row)
    expect(row.locator(".opener")).to_contain_text("Renews on")
    person.picture("plans")


def what_is_not_possible_is_told_beside_the_button(person):
    row = person.open("Lifetime")
    person.press("Send it under a second id", row)
    person.hears("second transaction id")
    person.press("Refund a part…", row)
    person.dialog.get_by_label("Percent").fill("25")
    person.press("Refund", person.dialog)
    expect(row.locator(".opener")).to_contain_text("Refunded")
    person.page.get_by_role("button", name="Set…").click()
    person.dialog.get_by_label("Date and time").fill("2020-01-01T00:00:00")
    person.press("Set", person.dialog)
    expect(person.dialog.get_by_role("alert")).to_be_visible()
    person.picture("dialog-refused")
    person.press("Cancel", person.dialog)


def a_family(person):
    person.go("Accounts")
    person.press("Family…")
    person.dialog.get_by_label("Organizer").select_option("default")
    person.dialog.get_by_label("<b>anna</b>").check()
    person.picture("dialog-family")
    person.press("Save", person.dialog)
    expect(person.page.locator("#part-people")).to_contain_text(
        "organizes a family with <b>anna</b>")
    card = person.page.locator("#part-people").get_by_role("article").first
    person.press("Show receipt", card)
    expect(person.dialog).to_contain_text("MII")
    person.picture("dialog-receipt")
    person.press("Close", person.dialog)


def a_notification_again(person):
    person.go("Notifications")
    row = person.page.locator("#part-notifications .row").filter(has_text="DID_RENEW").last
    expect(row).to_contain_text("Delivered")
    before = len(Server.bodies)
    person.press("Send again", row)
    person.hears("Sent: delivered")
    expect(row.locator(".attempts li")).to_have_count(2)
    assert len(Server.bodies) == before + 1, "the server got it again"
    assert Server.bodies[-1] in Server.bodies[:-1], "the same bytes are sent again"
    person.press("Show body", row)
    expect(row).to_contain_text('"notificationType": "DID_RENEW"')
    expect(row).to_contain_text('"bundleId": "com.example.app"')
    person.picture("notifications")


def a_fault(person):
    person.go("Faults")
    person.page.get_by_role("switch", name="Too many requests").check()
    banner = person.page.locator("#banner")
    expect(banner).to_contain_text("Too many requests (429)")
    person.picture("faults")
    answer = person.page.request.get(person.page.url.split("#")[0] + "inApps/v1/history/1")
    assert answer.status == 429, answer.status
    expect(person.page.locator("#part-faults")).to_contain_text("/inApps/v1/history/1")
    person.go("Log")
    log = person.page.locator("#part-log .calls")
    expect(log).to_contain_text("/inApps/v1/history/1")
    expect(log).to_contain_text("429")
    person.picture("log")
    person.press("Switch all off")
    expect(banner).to_be_empty()


def people(person):
    person.go("Accounts")
    person.press("New account…")
    person.dialog.get_by_label("Name").fill("<b>anna</b>")
    person.press("Make", person.dialog)
    person.hears("<b>anna</b> is here")
    card = person.page.locator("#part-people").get_by_role("article").last
    expect(card).to_contain_text("anna")
    card.get_by_role("switch", name="Asks to buy").check()
    person.go("Shop")
    expect(person.page.locator("#part-shop")).to_contain_text("asks to buy")
    person.press("Buy", person.card("20 Coins"))
    person.hears("20 Coins waits for approval")
    person.go("Accounts")
    person.picture("accounts")
    assert person.page.locator("main b").count() == 0, "a name became markup"


def the_other_parts(person):
    person.go("Connect")
    expect(person.page.locator("#part-connect")).to_contain_text("com.example.app")
    copy = person.page.get_by_role("button", name="Copy SHA-256").first
    copy.click()
    expect(copy).to_have_text("Copied")
    person.picture("connect")
    person.page.get_by_role("button", name="Production", exact=True).click()
    person.go("Purchases")
    expect(person.page.locator("#part-purchases")).to_contain_text("Nothing was bought yet")
    person.picture("empty")
    person.page.get_by_role("button", name="Sandbox", exact=True).click()


def every_width(person):
    for width, height, name in [(360, 740, "narrow"), (768, 1000, "middle"), (1400, 900, "wide")]:
        person.page.set_viewport_size({"width": width, "height": height})
        for part in ["Shop", "Purchases", "Accounts", "Notifications", "Faults", "Log", "Connect"]:
            person.go(part)
            wide = person.page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, f"{part} is {wide} px too wide at {width} px"
            person.picture(f"{name}-{part.lower()}")
    person.page.emulate_media(color_scheme="dark")
    person.go("Purchases")
    person.picture("dark-purchases")
    person.go("Faults")
    person.picture("dark-faults")
    person.page.emulate_media(color_scheme="light")


def the_keyboard_alone(person):
    person.go("Shop")
    button = person.card("20 Coins").get_by_role("button", name="Buy", exact=True)
    button.focus()
    person.page.keyboard.press("Tab")
    person.page.keyboard.press("Enter")
    expect(person.dialog).to_be_visible()
    person.page.keyboard.press("Escape")
    expect(person.dialog).to_have_count(0)
    focused = person.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused == "Buy 20 Coins in another way", focused
    button.focus()
    person.page.keyboard.press("Enter")
    person.hears("20 Coins")
    focused = person.page.evaluate("document.activeElement.dataset.key")
    assert focused == "buy com.example.coins20", f"the focus went to {focused}"


def chinese(person):
    person.press("中文")
    expect(person.page.get_by_role("heading", name="本地 App Store")).to_be_visible()
    person.picture("chinese")
    person.press("English")
    expect(person.page.get_by_role("heading", name="Local App Store")).to_be_visible()


def main():
    url = sys.argv[1]
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    target = f"http://127.0.0.1:{server.server_address[1]}/notifications"
    complaints = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1400, "height": 900}, locale="en-GB")
        page = context.new_page()
        page.set_default_timeout(20_000)
        expect.set_options(timeout=20_000)
        page.on("console", lambda one: complaints.append(one.text)
                if one.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        # What is under way when the page is left ends without an answer, which is as it should be.
        page.on("requestfailed", lambda one: complaints.append(f"failed: {one.url}")
                if one.failure != "net::ERR_ABORTED" else None)
        page.goto(url)
        person = Person(page, folder)
        steps = [
            ("the page opens and sells", shop),
            ("several, with a token", several_with_a_token),
            ("what the store refuses is told", a_wrong_quantity_is_told_where_it_was_asked),
            ("Ask to Buy is approved", ask_to_buy),
            ("notifications go to a server", lambda one: notifications_go_to_a_server(one, target)),
            ("a subscription renews", a_subscription_renews),
            ("a payment fails and is repaired", a_payment_fails_and_is_repaired),
            ("a refund, and back", a_refund),
            ("plans and prices", plans_and_prices),
            ("what is not possible is told", what_is_not_possible_is_told_beside_the_button),
            ("a notification is sent again", a_notification_again),
            ("a fault is switched on, told and logged", a_fault),
            ("an account of its own", people),
            ("a family", a_family),
            ("the other parts", the_other_parts),
            ("every width", every_width),
            ("the keyboard alone", the_keyboard_alone),
            ("Chinese", chinese),
        ]
        failed = None
        for name, step in steps:
            try:
                step(person)
                # What the store refuses is an answer, though the console tells of it.
                expected = [one for one in complaints if "status of 4" in one]
                assert len(complaints) == len(expected), complaints
                print(f"ok: {name}", flush=True)
            except Exception as error:  # told, whatever it is
                person.picture("failed")
                print(f"FAILED: {name}: {error}\nconsole: {complaints}", flush=True)
                failed = name
                break
        browser.close()
    server.shutdown()
    sys.exit(1 if failed else 0)


main()
