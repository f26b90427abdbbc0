"""Receives webhooks over HTTP, checks them with the standardwebhooks package, and tells what it saw.

usage: webhook_receiver.py SECRET STATUS...

Prints its port, then one JSON object a line for each request: whether the signature holds, and the event. Answers
with each STATUS in turn, and with 204 after the last.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

webhook = Webhook(sys.argv[1])
statuses = [int(text) for text in sys.argv[2:]]


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        seen = {"id": headers.get("webhook-id")}
        try:
            seen["event"] = webhook.verify(body, headers)
            seen["genuine"] = True
        except WebhookVerificationError as error:
            seen["genuine"] = False
            seen["error"] = str(error)
        # The nearest neighbour: the same signature over another body must not hold.
        try:
            webhook.verify(body + b" ", headers)
            seen["forgedHolds"] = True
        except WebhookVerificationError:
            seen["forgedHolds"] = False
        seen["status"] = statuses.pop(0) if statuses else 204
        print(json.dumps(seen), flush=True)
        self.send_response(seen["status"])
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


server = HTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
server.serve_forever()
