"""The same webhook on FastAPI: check the signature, store durably once by MessageSid, answer empty TwiML."""

import json
import os
import sqlite3
import time

from fastapi import FastAPI, Request, Response
from twilio.request_validator import RequestValidator

URL = os.environ["BENCH_URL"]
validator = RequestValidator(os.environ["TWILIO_AUTH_TOKEN"])
database = sqlite3.connect(os.path.join(os.environ["BENCH_DATA"], "peer.db"), isolation_level=None)
database.execute("PRAGMA journal_mode=WAL")
database.execute("PRAGMA synchronous=FULL")
database.execute(
    "CREATE TABLE IF NOT EXISTS inbox (sid TEXT PRIMARY KEY, sender TEXT, body TEXT, form TEXT, received REAL)"
)
app = FastAPI(openapi_url=None)


@app.get("/readyz")
async def ready() -> Response:
    return Response("ok")


@app.post("/webhooks/twilio")
async def webhook(request: Request) -> Response:
    form = await request.form()
    if not validator.validate(URL, form, request.headers.get("X-Twilio-Signature", "")):
        return Response(status_code=403)
    database.execute(
        "INSERT OR IGNORE INTO inbox VALUES (?, ?, ?, ?, ?)",
        (form["MessageSid"], form["From"], form.get("Body", ""), json.dumps(dict(form)), time.time()),
    )
    return Response("<Response/>", media_type="text/xml")
