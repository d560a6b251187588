"""Parses command lines with vLLM's own FlexibleArgumentParser, out of its source file alone.

usage: arguments.py ARGPARSE_UTILS FLAGS < LINES

FLAGS is a JSON list of {"options", "type", "negative"}; LINES a JSON list of lists of words that follow "vllm". Prints a
JSON list: for each line an object of the flags that were written, or a text when the parser refused it.
"""
import argparse
import contextlib
import importlib.util
import io
import json
import logging
import sys
import types

out = sys.stdout
sys.stdout = sys.stderr
logger = types.ModuleType("vllm.logger")
logger.init_logger = lambda name: logging.getLogger(name)
for name in ("vllm", "vllm.utils"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["vllm.logger"] = logger
spec = importlib.util.spec_from_file_location("vllm.utils.argparse_utils", sys.argv[1])
utils = importlib.util.module_from_spec(spec)
spec.loader.exec_module(utils)
boolean = getattr(utils, "EnableDisableAction", argparse.BooleanOptionalAction)

with open(sys.argv[2]) as f:
    flags = json.load(f)


def parser():
    p = utils.FlexibleArgumentParser(prog="vllm", add_help=False)
    sub = p.add_subparsers(dest="subparser", parser_class=utils.FlexibleArgumentParser).add_parser("serve", add_help=False)
    sub.add_argument("model_tag", nargs="?", default=argparse.SUPPRESS)
    for f in flags:
        kind, keep = f["type"], {"dest": f["options"][0][2:], "default": argparse.SUPPRESS}
        if kind == "store_true":
            sub.add_argument(*f["options"], action="store_true", **keep)
        elif kind == "bool":
            sub.add_argument(*f["options"], action=boolean, **keep)
        elif kind.startswith("list"):
            sub.add_argument(*f["options"], nargs="+", **keep)
        elif kind == "str optional":
            sub.add_argument(*f["options"], nargs="?", const="", **keep)
        elif kind == "json":
            sub.add_argument(*f["options"], type=json.loads, **keep)
        else:
            sub.add_argument(*f["options"], **keep)
    return p


def flat(name, value, into):
    if isinstance(value, dict):
        for k, v in value.items():
            flat(f"{name}.{k}", v, into)
    elif isinstance(value, bool):
        into[name] = [str(value).lower()]
    elif isinstance(value, list):
        into[name] = [v if isinstance(v, str) else json.dumps(v) for v in value]
    else:
        into[name] = [value if isinstance(value, str) else json.dumps(value)]


answers = []
for line in json.load(sys.stdin):
    refused = io.StringIO()
    try:
        with contextlib.redirect_stderr(refused):
            held = vars(parser().parse_args(line))
    except (SystemExit, ValueError, IndexError) as e:
        text = (refused.getvalue().strip().splitlines() or [repr(e)])[-1]
        answers.append(text)
        continue
    held.pop("subparser")
    got = {}
    for k, v in held.items():
        flat(k, v, got)
    answers.append(got)
json.dump(answers, out)
