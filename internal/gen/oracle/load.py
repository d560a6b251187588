"""Loads many configurations with the proxy's own ProxyConfig.load_config, each in a process of its own.

Reads a JSON list of {"dir", "file", "env"} on stdin and writes a JSON list of texts: "" when the file was loaded, else the
exception. The package is imported once; every configuration is loaded in a fork of this process.
"""
import asyncio
import json
import logging
import os
import signal
import sys

out = os.fdopen(os.dup(1), "w")  # the proxy prints to stdout
os.dup2(2, 1)

import litellm  # noqa: E402
import litellm.proxy.proxy_server as ps  # noqa: E402

WITHIN = 120  # seconds for one file


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


def ask(q):
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(r)
        signal.alarm(WITHIN)
        os.write(w, b"=" + load(q).encode("utf-8", "replace"))
        os._exit(0)
    os.close(w)
    text = b""
    while part := os.read(r, 65536):
        text += part
    os.close(r)
    os.waitpid(pid, 0)
    return text[1:].decode() if text else None


answers = []
for question in json.load(sys.stdin):
    answers.append(ask(question))
json.dump(answers, out)
out.flush()
os._exit(0)
