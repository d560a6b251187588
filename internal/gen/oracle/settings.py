"""Runs the proxy's command line up to the server, starts the application in this process, and prints what it holds.

The arguments are the proxy's. What is printed last is a JSON object of texts; a value that is not set is left out.
"""
import asyncio
import json
import os
import sys
import urllib.parse

out = os.fdopen(os.dup(1), "w")  # the proxy prints to stdout
os.dup2(2, 1)

import uvicorn  # noqa: E402

held = {}


def hold(name, value):
    if value is None:
        return
    if isinstance(value, bool):
        value = str(value).lower()
    elif isinstance(value, float) and value == int(value):
        value = int(value)
    held[name] = str(value)


def finish():
    json.dump(held, out)
    out.flush()
    os._exit(0)


async def look():
    import litellm
    import litellm.proxy.proxy_server as ps

    async with ps.app.router.lifespan_context(ps.app):
        # What the command line says goes into each request, in front of the global value.
        hold("request_timeout", ps.user_request_timeout or litellm.request_timeout)
        hold("master_key", ps.master_key)
        hold("batch_write_interval", ps.proxy_batch_write_at)
        for key in ("max_in_flight_requests_per_worker", "max_queued_requests_per_worker"):
            hold(key, ps.general_settings.get(key))
        router = ps.llm_router
        hold("num_retries", router.num_retries)
        hold("routing_strategy", getattr(router.routing_strategy, "value", router.routing_strategy))
        hold("pre_call_checks", ",".join(sorted({type(c).__name__ for c in router.optional_callbacks or []})))
        cache = getattr(litellm.cache, "cache", None)
        hold("response_cache", type(cache).__name__ if cache is not None else None)
        hold("shared_counters", ps.redis_usage_cache is not None)
        finish()


def run(*args, **kwargs):
    hold("workers", kwargs.get("workers"))
    hold("port", kwargs.get("port"))
    hold("limit_concurrency", kwargs.get("limit_concurrency"))
    url = os.environ.pop("DATABASE_URL", None)
    if url:
        parts = urllib.parse.urlsplit(url)
        hold("database_host", parts.hostname)
        hold("database_pool_limit", urllib.parse.parse_qs(parts.query).get("connection_limit", [None])[-1])
    asyncio.run(look())


uvicorn.run = run
from litellm.proxy.proxy_cli import run_server  # noqa: E402

try:
    run_server.main(sys.argv[1:], standalone_mode=False)
except BaseException as e:  # a refusal to start is an answer
    print(f"refused: {type(e).__name__}: {e}"[:600], file=sys.stderr)
    held.clear()
    held["start"] = "refused"
finish()
