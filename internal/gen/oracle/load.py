"""Loads many configurations with the proxy's own ProxyConfig.load_config, each in a process of its own.

Reads a JSON list of {"dir", "file", "env"} on stdin and writes a JSON list of texts: "" when the file was loaded, else the
exception. The package is imported once; every configuration is loaded in a fork of this process.
"""
import asyncio
import json
import logging
import os
import selectors
import signal
import sys

out = os.fdopen(os.dup(1), "w")  # the proxy prints to stdout
os.dup2(2, 1)

import litellm  # noqa: E402
import litellm.proxy.proxy_server as ps  # noqa: E402

WITHIN = 60  # seconds for one file
AT_ONCE = 24  # files; most of the time goes into waiting for hosts that are not there


def load(q):
    os.chdir(q["dir"])
    sys.path.insert(0, q["dir"])
    os.environ.update(q["env"])
    logging.disable(logging.CRITICAL)
    try:
        asyncio.run(ps.ProxyConfig().load_config(router=None, config_file_path=q["file"]))
    except BaseException as e:  # a sys.exit of the proxy is a refusal too
        return f"{type(e).__name__}: {e}".strip()[:400]
    return ""


def start(q):
    """Forks a process that loads one file, and returns its number and the end of a pipe that its answer comes out of."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(r)
        signal.alarm(WITHIN)
        os.write(w, b"=" + load(q).encode("utf-8", "replace"))
        os._exit(0)
    os.close(w)
    return pid, r


questions = json.load(sys.stdin)
answers, texts, waiting = [None] * len(questions), {}, list(range(len(questions)))
running = selectors.DefaultSelector()
while waiting or running.get_map():
    while waiting and len(running.get_map()) < AT_ONCE:
        i = waiting.pop(0)
        pid, r = start(questions[i])
        texts[i] = b""
        running.register(r, selectors.EVENT_READ, (i, pid))
    for key, _ in running.select():
        i, pid = key.data
        part = os.read(key.fd, 65536)
        texts[i] += part
        if part:
            continue
        running.unregister(key.fd)
        os.close(key.fd)
        os.waitpid(pid, 0)
        answers[i] = texts[i][1:].decode() if texts[i] else None
json.dump(answers, out)
out.flush()
os._exit(0)
