"""The names that one vLLM release knows: arguments, environment variables, metrics, parsers, connectors and the fields of JSON arguments.

`names(tree)` returns {kind: {(section, name): row}}. A row has type, default, choices, deprecated, attrs and source, each as the release writes it.
"""

import ast
import io
import tokenize

import vllm_flags
from pytree import Ref, Scope, Unknown, called_name, class_fields, evaluate, hints, members, value_or_text

# JSON arguments whose fields are in the tables: section, class.
CONFIGS = [("kv_events_config", "KVEventsConfig"), ("kv_transfer_config", "KVTransferConfig"), ("ec_transfer_config", "ECTransferConfig"),
           ("attention_config", "AttentionConfig"), ("compilation_config", "CompilationConfig"), ("eplb_config", "EPLBConfig"),
           ("profiler_config", "ProfilerConfig"), ("speculative_config", "SpeculativeConfig"), ("structured_outputs_config", "StructuredOutputsConfig")]

# Values that arguments or variables take although their parser takes any text: section, and where the list stands in one release or another.
LISTS = [
    ("attention_backend", [("vllm.v1.attention.backends.registry", "AttentionBackendEnum"), ("vllm.attention.backends.registry", "AttentionBackendEnum"),
                           ("vllm.attention.backends.registry", "_Backend"), ("vllm.platforms.interface", "_Backend"), ("vllm.attention.selector", "_Backend")]),
    ("load_format", [("vllm.model_executor.model_loader", "LoadFormats"), ("vllm.config", "LoadFormat")]),
    ("quantization", [("vllm.model_executor.layers.quantization", "QuantizationMethods"), ("vllm.model_executor.layers.quantization", "QUANTIZATION_METHODS")]),
]

METRIC_TYPES = ("histogram", "counter", "gauge", "summary", "info")

# Labels that code hands to its metrics through a parameter.
BASE_LABELS = {"vllm/engine": ["model_name"], "vllm": ["model_name", "engine"]}


def names(tree):
    return {
        "flags": flags(tree),
        "envs": environment(tree),
        "metrics": metrics(tree),
        "enums": {**parsers(tree, "tool_call_parser", "ToolParserManager", "_TOOL_PARSERS_TO_REGISTER"),
                  **parsers(tree, "reasoning_parser", "ReasoningParserManager", "_REASONING_PARSERS_TO_REGISTER"),
                  **connectors(tree), **lists(tree)},
        "settings": configs(tree),
    }


def row(kind, default, source, choices=(), deprecated=False, **attrs):
    return {"type": kind, "default": default, "choices": list(choices), "deprecated": deprecated, "source": source,
            "attrs": {k: v for k, v in attrs.items() if v}}


def flags(tree):
    out = {}
    for name, f in vllm_flags.flags(tree).items():
        attrs = {"negation": " ".join(f["negations"]), "short": ",".join(f["short"]), "field": f["field"], "size": "yes" if f["size"] else "", "case": f["case"]}
        out["", name] = row(f["type"], f["default"], f["source"], f["choices"], f["deprecated"], **attrs)
        for alias in f["aliases"]:
            alias = alias.replace("_", "-")
            attrs = dict(attrs, alias_of=name, negation="--no-" + alias[2:] if f["negations"] else "", short="")
            out["", alias] = row(f["type"], f["default"], f["source"], f["choices"], f["deprecated"], **attrs)
    return out


# ---- environment


def environment(tree):
    """The keys of envs.environment_variables. Their types and defaults stand in the annotations for type checkers above them."""
    module = tree.module("vllm.envs")
    if module is None or "environment_variables" not in module.globals:
        return {}
    annotated = {}
    for node in module.ast.body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for item in node.body:
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                    annotated[item.target.id] = item
    out = {}
    table = module.globals["environment_variables"][1]
    if not isinstance(table, ast.Dict):
        raise SystemExit(f"{module.file}:{table.lineno}: environment_variables is no dictionary")
    for key, value in zip(table.keys, table.values):
        name = evaluate(key, Scope(module))
        kind, default = "", ""
        item = annotated.get(name)
        if item is not None:
            kind = env_type(ast.unparse(item.annotation))
            if item.value is not None:
                default = repr(value_or_text(item.value, Scope(module)))
        choices = []
        if isinstance(value, ast.Call) and called_name(value) in ("env_with_choices", "env_list_with_choices", "env_set_with_choices") and len(value.args) > 2:
            listed = value_or_text(value.args[2], Scope(module))
            choices = [c for c in listed if isinstance(c, str)] if isinstance(listed, (list, tuple)) else []
        deprecated = any("deprecated" in called_name(n).lower() for n in ast.walk(value) if isinstance(n, ast.Call))
        out["", name] = row(kind, default, f"{module.file}:{key.lineno}", choices, deprecated)
    return out


def env_type(annotation):
    annotation = annotation.replace("Optional[", "").replace("]", "").replace(" | None", "")
    return {"bool": "bool", "int": "int", "float": "float", "str": "str"}.get(annotation, "")


# ---- metrics


def metrics(tree):
    """Every call that creates a metric of the vllm: namespace."""
    out = {}
    for path in tree.files("vllm"):
        source = path.read_text(encoding="utf-8")
        if "vllm:" not in source and "Metric" not in source:
            continue
        module = tree.by_path(path)
        for name, found in MetricFinder(module, source).run().items():
            old = out.get(("", name))
            if old is None or preferred(found, old):
                out["", name] = found
            merged = out["", name]
            if old is not None:
                # One engine that still shows a metric decides that it is there; the version of the V1 engine is kept apart.
                merged["attrs"]["engines"] = " ".join(sorted(set(old["attrs"].get("engines", "").split()) | set(found["attrs"].get("engines", "").split())))
                merged["hidden"] = found["hidden"] if preferred(found, old) else old["hidden"]
                merged["deprecated"] = old["deprecated"] or found["deprecated"]
    return out


def preferred(new, old):
    """Of two definitions the one of the V1 engine describes the metric."""
    return "v1" in new["attrs"].get("engines", "") and "v1" not in old["attrs"].get("engines", "")


class MetricFinder:
    def __init__(self, module, source):
        self.module = module
        self.parents = {}
        for node in ast.walk(module.ast):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
        self.comments = {}
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.COMMENT:
                self.comments[token.start[0]] = token.string

    def run(self):
        out = {}
        for node in ast.walk(self.module.ast):
            if isinstance(node, ast.Call):
                kind = metric_type(called_name(node))
                for name in self.names_of(node) if kind else ():
                    self.add(out, name, kind, node, node)
            elif isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values):
                    if key is not None and isinstance(value, ast.Call):
                        kind = metric_type(called_name(value))
                        for name in self.strings(key) if kind else ():
                            self.add(out, name, kind, value, key)
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Subscript):
                kind = metric_type(called_name(node.value))
                for name in self.strings(node.targets[0].slice) if kind else ():
                    self.add(out, name, kind, node.value, node)
        return out

    def add(self, out, name, kind, call, at):
        if not name or not name.startswith("vllm:") or name.startswith("vllm::") or name == "vllm:":
            return
        engine = "v0" if self.module.file.startswith("vllm/engine/") else "v1"
        # The client takes one _total off a counter's name and puts it back in the series.
        if kind == "counter" and name.endswith("_total"):
            name = name[: -len("_total")]
        found = row(kind, "", f"{self.module.file}:{at.lineno}", deprecated=self.deprecated(call) or "DEPRECATED" in ast.unparse(at), labels=",".join(self.labels(call)), engines=engine)
        found["hidden"] = self.hidden(call)
        if name in out:
            found["hidden"] = found["hidden"] and out[name]["hidden"]
        out[name] = found

    def names_of(self, call):
        for keyword in call.keywords:
            if keyword.arg in ("name", "metric_name"):
                return self.strings(keyword.value)
        return self.strings(call.args[0]) if call.args else []

    def strings(self, node):
        """The values of a metric's name: one for a constant, several for a variable that takes several."""
        if isinstance(node, ast.Constant):
            return [node.value] if isinstance(node.value, str) else []
        if not isinstance(node, (ast.Name, ast.Attribute, ast.JoinedStr, ast.Call)):
            return []
        try:
            value = evaluate(node, Scope(self.module))
        except Unknown:
            if isinstance(node, ast.JoinedStr):
                return self.formatted(node)
            return self.local_strings(node.id, node) if isinstance(node, ast.Name) else []
        return [value] if isinstance(value, str) else []

    def formatted(self, node):
        """f"vllm:hisparse_{name}" in a loop over a constant list of tuples that begin with the name."""
        variables = [n.id for n in ast.walk(node) if isinstance(n, ast.Name)]
        function = self.around(node)
        for item in ast.walk(function) if function is not None else ():
            if isinstance(item, ast.For) and variables and any(isinstance(t, ast.Name) and t.id == variables[0] for t in ast.walk(item.target)):
                values = value_or_text(item.iter, Scope(self.module))
                if isinstance(values, (list, tuple)):
                    firsts = [v[0] if isinstance(v, (list, tuple)) and v else v for v in values]
                    return [v for v in (value_or_text(node, Scope(self.module, {variables[0]: f})) for f in firsts if isinstance(f, str)) if isinstance(v, str)]
        return []

    def local_strings(self, name, at, depth=0):
        """Metric names among the values that a local variable takes: by assignment, or by running over a list of them."""
        function = self.around(at)
        if function is None or depth > 2:
            return []
        out = []
        for item in ast.walk(function):
            values = []
            if isinstance(item, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in item.targets):
                values = [item.value]
            elif isinstance(item, (ast.For, ast.comprehension)) and any(isinstance(t, ast.Name) and t.id == name for t in ast.walk(item.target)):
                values = [item.iter]
            for value in values:
                if isinstance(value, ast.Name):
                    out += self.local_strings(value.id, at, depth + 1)
                out += [n.value for n in ast.walk(value) if isinstance(n, ast.Constant) and isinstance(n.value, str) and n.value.startswith("vllm:") and " " not in n.value]
        return out

    def around(self, node):
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return node
        return None

    def hidden(self, node):
        """Whether the metric is only made when hidden metrics are shown."""
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, ast.If) and "show_hidden" in ast.unparse(node.test):
                return True
        return False

    def deprecated(self, call):
        texts = [n.value for n in ast.walk(call) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        if any("deprecated" in t.lower() for t in texts):
            return True
        statement = call
        while statement in self.parents and not isinstance(statement, ast.stmt):
            statement = self.parents[statement]
        lines = [statement.lineno - 1]
        if isinstance(self.parents.get(statement), ast.If):
            lines.append(self.parents[statement].lineno - 1)
        for line in lines:
            while line in self.comments:
                if "deprecated" in self.comments[line].lower():
                    return True
                line -= 1
        return False

    def labels(self, call):
        node = next((k.value for k in call.keywords if k.arg in ("labelnames", "labels")), None)
        if node is None and len(call.args) > 2:
            node = call.args[2]
        found = self.label_list(node, call) if node is not None else []
        if called_name(call).endswith("Metadata"):
            # A connector describes the labels of its own; the engine puts its labels before them.
            found = self.base() + found
        return list(dict.fromkeys(found))

    def base(self):
        return next(v for k, v in BASE_LABELS.items() if self.module.file.startswith(k))

    def label_list(self, node, at, depth=0):
        base = self.base()
        if depth > 4:
            return base
        if isinstance(node, (ast.List, ast.Tuple)):
            out = []
            for item in node.elts:
                if isinstance(item, ast.Starred):
                    out.extend(self.label_list(item.value, at, depth + 1))
                else:
                    value = self.member(item) or value_or_text(item, Scope(self.module))
                    out.append(value if isinstance(value, str) else ast.unparse(item))
            return out
        if isinstance(node, ast.Call) and called_name(node) in ("keys", "list"):
            return []  # the fields of a configuration
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self.label_list(node.left, at, depth + 1) + self.label_list(node.right, at, depth + 1)
        if isinstance(node, ast.Name):
            assigned = self.assigned(node.id, at)
            if assigned is not None:
                return self.label_list(assigned, at, depth + 1)
        return base

    def member(self, node):
        """The constant that the module assigns to self.x, or None."""
        if not isinstance(node, ast.Attribute):
            return None
        for item in ast.walk(self.module.ast):
            if isinstance(item, ast.Assign) and isinstance(item.value, ast.Constant) and any(isinstance(t, ast.Attribute) and t.attr == node.attr for t in item.targets):
                return item.value.value
        return None

    def assigned(self, name, at):
        """The value that a name has in the function around a node."""
        function = self.around(at)
        for item in ast.walk(function) if function is not None else ():
            if isinstance(item, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in item.targets):
                return item.value
        return None


def metric_type(callee):
    """counter for Counter, self._counter_cls, OffloadingCounterMetadata, ..."""
    lower = callee.lower()
    if not (callee[:1].isupper() or lower.endswith("_cls")):
        return ""
    return next((t for t in METRIC_TYPES if t in lower and (lower == t or lower.endswith(("_cls", "metadata", "metric", t)))), "")


# ---- parsers and connectors


def parsers(tree, section, manager, table):
    """Names under which tool or reasoning parsers are registered: decorators up to 0.11, tables since."""
    out = {}
    for path in tree.files("vllm"):
        text = path.read_text(encoding="utf-8")
        if manager not in text and table not in text:
            continue
        module = tree.by_path(path)
        entry = module.globals.get(table)
        if entry and isinstance(entry[1], ast.Dict):
            for key in entry[1].keys:
                out[section, evaluate(key, Scope(module))] = row("", "", f"{module.file}:{key.lineno}")
        for node in ast.walk(module.ast):
            if not isinstance(node, ast.ClassDef):
                continue
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and called_name(decorator) == "register_module" and ast.unparse(decorator.func).startswith(manager):
                    values = [value_or_text(a, Scope(module)) for a in decorator.args + [k.value for k in decorator.keywords if k.arg == "name"]]
                    found = [v for value in values for v in (value if isinstance(value, (list, tuple)) else [value]) if isinstance(v, str)]
                    for name in found or ([node.name] if not decorator.args else []):
                        out[section, name] = row("", "", f"{module.file}:{decorator.lineno}")
    if not out and section == "tool_call_parser":
        # 0.6.0 to 0.6.2 list them as the choices of the argument.
        for f, found in vllm_flags.flags(tree).items():
            if f == "--tool-call-parser":
                out = {(section, c): row("", "", found["source"]) for c in found["choices"]}
    return out


def connectors(tree):
    """Names that KVConnectorFactory registers."""
    out = {}
    for path in tree.files("vllm/distributed"):
        if "register_connector" not in path.read_text(encoding="utf-8"):
            continue
        module = tree.by_path(path)
        for node in ast.walk(module.ast):
            if isinstance(node, ast.Call) and called_name(node) == "register_connector" and "KVConnectorFactory" in ast.unparse(node.func) and node.args:
                name = value_or_text(node.args[0], Scope(module))
                if isinstance(name, str):
                    out["kv_connector", name] = row("", "", f"{module.file}:{node.lineno}")
    return out


# ---- lists of values


def lists(tree):
    out = {}
    for section, places in LISTS:
        for name, target in places:
            module = tree.module(name)
            if module is None or target not in module.globals:
                continue
            owner, kind, node = tree.lookup(module, target)
            if kind == "class":
                found = members(Ref("class", owner, node))
                words = {m.name if section == "attention_backend" else m.value: node.lineno for m in found}
            else:
                values = value_or_text(node, Scope(owner))
                values = list(values) if isinstance(values, (list, tuple, dict)) else [v for h in hints(node, Scope(owner)) if h[0] == "literal" for v in h[1]]
                words = {v: node.lineno for v in values if isinstance(v, str)}
            if not words:
                raise SystemExit(f"{owner.file}: {target} has no values")
            old = module.globals.get("DEPRECATED_QUANTIZATION_METHODS")
            old = value_or_text(old[1], Scope(module)) if old else []
            for word, line in words.items():
                out[section, word] = row("", "", f"{owner.file}:{line}", deprecated=section == "quantization" and word in old)
            break
    return out


# ---- fields of JSON arguments


def configs(tree):
    out = {}
    module = tree.module("vllm.config")
    for section, name in CONFIGS:
        try:
            owner, kind, node = tree.lookup(module, name)
        except Unknown:
            continue
        if kind != "class":
            continue
        if not node.decorator_list and not node.bases:
            continue  # a plain class of older releases, whose fields are no keys
        for field in class_fields(Ref("class", owner, node)):
            if isinstance(field.node.value, ast.Call) and any(k.arg == "init" and ast.unparse(k.value) == "False" for k in field.node.value.keywords):
                continue
            alternatives = field.hints()
            kinds = [h[0] for h in alternatives]
            choices = [str(v) for h in alternatives if h[0] == "literal" and "str" not in kinds for v in h[1]]
            word = "choice" if choices else next((k for k in ("bool", "int", "float", "str", "dict", "list") if k in kinds), "")
            default = "" if field.required() else repr(field.default_or_text())
            out[section, field.name] = row(word, default, f"{field.owner.module.file}:{field.node.lineno}", dict.fromkeys(choices))
    return out
