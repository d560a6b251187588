"""What one Python file of LiteLLM says, found by parsing it: classes, constants, reads of mappings, environment variables, metrics, routes.

`facts` looks at a single file, so its result can be kept by the file's content; `litellm_names` joins the facts of all files of a release.
"""

import ast
import re

# Identifiers that always mean a part of the configuration, and the section they stand for.
SEEDS = {
    "litellm_settings": ("litellm_settings",),
    "router_settings": ("router_settings",),
    "cache_params": ("cache_params",),
}

ENV_NAME = re.compile(r"[A-Z][A-Z0-9_]{2,}")
METRIC_NAME = re.compile(r"litellm_[a-z0-9_]+")
READER = re.compile(r"setting|limit|config|flag|param|read|value|option|enabled|_get|get_|parse|coerce|resolve|range", re.I)
FORWARDER = re.compile(r"env|secret|var|setting|flag", re.I)
SECRET_READERS = {"get_secret", "get_secret_str", "get_secret_bool"}
PASS_THROUGH = {"dict", "list", "tuple", "sorted", "deepcopy", "copy", "MappingProxyType", "enumerate", "reversed"}
VALIDATORS = {"validate_python", "model_validate", "parse_obj"}
METRIC_CLASSES = {"Counter", "Gauge", "Histogram", "Summary", "Info"}


def seed(identifier):
    """The section that an identifier stands for by its name alone."""
    if identifier.endswith("general_settings") and "router" not in identifier:
        return ("general_settings",)
    return SEEDS.get(identifier.lstrip("_"))


def text(node, limit=120):
    """The source of an expression, or None when it is too long to be a default worth keeping."""
    if node is None:
        return None
    try:
        source = ast.unparse(node)
    except RecursionError:
        return None
    return source if len(source) <= limit and "\n" not in source else None


def terminal(node):
    """The last identifier of a dotted name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    return None


def dotted(node):
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else None
    return None


def string(node):
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def strings(node, known=None):
    """The strings of a literal collection (also frozenset({...}), a + b, *NAME); None when it holds anything that cannot be followed."""
    known = known or {}
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        out = []
        for item in node.elts:
            if isinstance(item, ast.Starred):
                inner = strings(item.value, known)
                if inner is None:
                    return None
                out += inner
            elif string(item) is not None:
                out.append(item.value)
            else:
                return None
        return out
    if isinstance(node, ast.Dict):
        keys = [string(k) for k in node.keys]
        return keys if keys and None not in keys else None
    if isinstance(node, ast.Call) and terminal(node.func) in {"frozenset", "set", "tuple", "list", "sorted", "MappingProxyType"} and len(node.args) == 1:
        return strings(node.args[0], known)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.BitOr)):
        left, right = strings(node.left, known), strings(node.right, known)
        return None if left is None or right is None else left + right
    if isinstance(node, ast.Name) and isinstance(known.get(node.id), list):
        return known[node.id]
    return None


def some_strings(node):
    """The literal strings that stand directly in a collection, whatever else it holds."""
    return [v for v in map(string, getattr(node, "elts", [])) if v is not None]


def literal_values(node):
    """The values of Literal[...] anywhere inside an annotation, in order."""
    out = []
    for sub in ast.walk(node):
        if isinstance(sub, ast.Subscript) and terminal(sub.value) == "Literal":
            items = sub.slice.elts if isinstance(sub.slice, ast.Tuple) else [sub.slice]
            for item in items:
                if isinstance(item, ast.Constant) and item.value is not None:
                    out.append(str(item.value))
                elif isinstance(item, ast.Attribute):
                    out.append("$" + dotted(item))
    return out


def module_level(tree, type_checking=False):
    """Statements that run when the module is imported, those inside if, try and with included."""
    pending = list(tree.body)
    while pending:
        node = pending.pop(0)
        yield node
        if isinstance(node, ast.If):
            if not type_checking and terminal(node.test) == "TYPE_CHECKING":
                pending = list(node.orelse) + pending
            else:
                pending = node.body + node.orelse + pending
        elif isinstance(node, ast.Try):
            inner = list(node.body)
            for handler in node.handlers:
                inner += handler.body
            pending = inner + node.orelse + node.finalbody + pending
        elif isinstance(node, ast.With):
            pending = node.body + pending


class Functions(list):
    """The functions of a file; each is followed once, also when its surroundings are looked at twice."""

    def __init__(self):
        super().__init__()
        self.seen = set()


class Function:
    """Follows configuration mappings through one function: which keys are read from which parameter or name, and where they are passed on."""

    def __init__(self, node, params, closure, out, owner):
        self.env = dict(closure)
        self.params = params
        self.out = out
        self.owner = owner
        self.reads = {}
        self.flows = {}
        self.named = {}
        self.returns = set()
        self.body = node.body if not isinstance(node, ast.Lambda) else [node.body]

    def interesting(self, root):
        root = root.rsplit(">", 1)[-1]
        return root in self.params or root.startswith("call:") or root == "config" or seed(root) is not None

    def run(self):
        # Twice, so that a name assigned further down a loop is known at its top.
        for _ in range(2):
            for statement in self.body:
                self.statement(statement)

    # Reading

    def read(self, refs, key, node, default=None):
        for root, path in refs:
            if path and path[0] == "?keyof" or not self.interesting(root) or len(path) > 4:
                continue
            record = self.reads.setdefault((root, path, key), [None, node.lineno])
            if default is not None and record[0] is None:
                record[0] = default

    def keys(self, node):
        """The keys that an expression in key position stands for: a literal, a constant ($NAME), or a loop variable over a collection."""
        value = string(node)
        if value is not None:
            return [value]
        if isinstance(node, ast.Name):
            found = [r[0][len("set:"):] for r in self.env.get(node.id, ()) if r[0].startswith("set:")]
            if found:
                return [k for f in found for k in f.split("\n") if k]
            if node.id.isupper() or node.id.lstrip("_").isupper():
                return ["$" + node.id]
            if node.id in self.params:
                return ["@" + node.id]
        if isinstance(node, ast.Attribute) and node.attr.isupper():
            return ["$" + node.attr]
        return []

    def refs(self, node):
        if node is None:
            return set()
        if isinstance(node, ast.Name):
            return self.env.get(node.id, set()) | {(node.id, ())}
        if isinstance(node, ast.Attribute):
            self.refs(node.value)
            return {(node.attr, ())} | {(r, p) for r, p in self.refs(node.value) if r == "?"}
        if isinstance(node, (ast.Await, ast.Starred)):
            return self.refs(node.value)
        if isinstance(node, ast.NamedExpr):
            found = self.refs(node.value)
            self.bind(node.target, found)
            return found
        if isinstance(node, ast.BoolOp):
            return set().union(*(self.refs(v) for v in node.values))
        if isinstance(node, ast.IfExp):
            self.refs(node.test)
            return self.refs(node.body) | self.refs(node.orelse)
        if isinstance(node, ast.Subscript):
            base = self.refs(node.value)
            out = set()
            for key in self.keys(node.slice):
                if isinstance(node.ctx, ast.Load):
                    self.read(base, key, node)
                out |= {(r, p + (key,)) for r, p in base}
            if not out:
                self.refs(node.slice)
                out = {(r, p + ("*",)) for r, p in base}
            return out
        if isinstance(node, ast.Compare):
            self.compare(node)
            return set()
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, ast.Dict):
            out = set()
            for key, value in zip(node.keys, node.values):
                found = self.refs(value)
                if key is None:
                    out |= found
            return out
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            for generator in node.generators:
                self.loop(generator.target, generator.iter)
                for condition in generator.ifs:
                    self.refs(condition)
            if isinstance(node, ast.DictComp):
                self.refs(node.key)
                self.refs(node.value)
                # {k: v for k, v in settings.items() if ...} keeps the names of the settings.
                return {(r, p[1:]) for name in [terminal(node.key)] if name for r, p in self.env.get(name, ()) if p[:1] == ("?keyof",)}
            self.refs(node.elt)
            return set()
        if isinstance(node, ast.Lambda):
            self.nested(node)
            return set()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.refs(child)
        return set()

    def compare(self, node):
        left, operator, right = node.left, node.ops[0], node.comparators[0]
        if isinstance(operator, (ast.In, ast.NotIn)):
            base = self.refs(right)
            for key in self.keys(left):
                self.read(base, key, node)
            self.key_tests(left, strings(right), node)
        elif isinstance(operator, (ast.Eq, ast.NotEq)):
            value = string(right)
            self.key_tests(left, None if value is None else [value], node)
            self.refs(right)
        for part in [left] + node.comparators[1:]:
            self.refs(part)

    def key_tests(self, variable, values, node):
        """`key == "cache"` in a loop over settings.items() reads the key cache."""
        if not isinstance(variable, ast.Name) or not values:
            return
        for root, path in self.env.get(variable.id, ()):
            if path and path[0] == "?keyof":
                for value in values:
                    self.read({(root, path[1:])}, value, node)

    def call(self, node):
        name = terminal(node.func)
        arguments = [(i, a) for i, a in enumerate(node.args)] + [(k.arg or "**", k.value) for k in node.keywords]
        if isinstance(node.func, ast.Attribute):
            if name in {"get", "pop", "setdefault"} and node.args:
                base = self.refs(node.func.value)
                found = set()
                for key in self.keys(node.args[0]):
                    self.read(base, key, node, text(node.args[1]) if len(node.args) > 1 else None)
                    found |= {(r, p + (key,)) for r, p in base}
                for _, argument in arguments[1:]:
                    self.refs(argument)
                return found
            if name == "copy" and not node.args:
                return self.refs(node.func.value)
            if name in VALIDATORS and node.args:
                found = self.refs(node.args[0])
                model = terminal(node.func.value)
                if model:
                    self.flow(model, "**", found)
                return found
        if name in PASS_THROUGH and node.args:
            return set().union(*(self.refs(a) for _, a in arguments))
        if name == "cast" and len(node.args) == 2:
            return self.refs(node.args[1])
        if name == "getattr" and len(node.args) > 1 and string(node.args[1]):
            self.refs(node.args[0])
            return {(node.args[1].value, ())}
        if isinstance(node.func, ast.Attribute):
            self.refs(node.func.value)
        result = {("call:" + name, ())} if name else set()
        given = {str(p): k for p, a in arguments for k in self.keys(a)[:1] if "\n" not in k and len(k) <= 80}
        if name and given and READER.search(name):
            # A helper may take the name of the key: _int_setting(settings, "window_seconds", 60).
            passed = {str(p): sorted([r, list(q)] for r, q in self.refs(a) if q[:1] != ("?keyof",) and self.interesting(r)) for p, a in arguments}
            self.named[node.lineno, node.col_offset] = [name, given, {p: r for p, r in passed.items() if r}, node.lineno]
        for position, argument in arguments:
            found = self.refs(argument)
            if name:
                self.flow(name, position, found)
                # A callee may hand its argument back, as a validating or copying helper does; whether it does is known once all files are read.
                result |= {(f"{name}:{position}>{r}", p) for r, p in found if ">" not in r and len(p) < 4 and p[:1] != ("?keyof",) and self.interesting(r)}
        return result

    def flow(self, callee, position, found):
        for root, path in found:
            if path[:1] != ("?keyof",) and self.interesting(root) and len(path) <= 4:
                self.flows.setdefault((callee, position), set()).add((root, path))

    # Statements

    def bind(self, target, found):
        if isinstance(target, ast.Name):
            # A plain rename keeps the meaning; the name's own identity is added by refs.
            self.env[target.id] = self.env.get(target.id, set()) | {r for r in found if r != (target.id, ())}
        elif isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                self.bind(part, set())
        elif isinstance(target, (ast.Attribute, ast.Subscript)):
            self.refs(target.value)

    def loop(self, target, iterable):
        if isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Attribute) and iterable.func.attr in {"items", "keys", "values"}:
            base = self.refs(iterable.func.value)
            key = {(r, ("?keyof",) + p) for r, p in base}
            value = {(r, p + ("*",)) for r, p in base}
            if iterable.func.attr == "items" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
                self.bind(target.elts[0], key)
                self.bind(target.elts[1], value)
            else:
                self.bind(target, key if iterable.func.attr == "keys" else value)
            return
        if isinstance(iterable, ast.Call) and terminal(iterable.func) == "enumerate" and isinstance(target, ast.Tuple) and iterable.args:
            self.loop(target.elts[1], iterable.args[0])
            return
        values = strings(iterable)
        if values is None and isinstance(iterable, ast.Name) and iterable.id.lstrip("_").isupper():
            values = ["$" + iterable.id]
        if values is not None and isinstance(target, ast.Name):
            self.env[target.id] = {("set:" + "\n".join(values), ())}
            return
        self.bind(target, {(r, p + ("*",)) for r, p in self.refs(iterable)})

    def nested(self, node, name="<lambda>", closure=None, owner=None):
        if (name, node.lineno, node.col_offset) not in self.out.seen:
            self.out.seen.add((name, node.lineno, node.col_offset))
            self.out.append(function(node, name, self.env if closure is None else closure, self.out, owner or self.owner))

    def statement(self, node):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.nested(node, node.name)
            return
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    self.nested(part, part.name, {}, node.name)
                else:
                    self.statement(part)
            return
        if isinstance(node, ast.Return):
            self.returns |= {(r, p) for r, p in self.refs(node.value) if p[:1] != ("?keyof",) and self.interesting(r)}
            return
        if isinstance(node, ast.Assign):
            found = self.refs(node.value)
            for target in node.targets:
                self.bind(target, found)
            return
        if isinstance(node, (ast.AnnAssign, ast.AugAssign)):
            if node.value is not None:
                self.bind(node.target, self.refs(node.value))
            return
        if isinstance(node, (ast.For, ast.AsyncFor)):
            # The loop's names mean something else outside it, also when an inner loop uses the same ones.
            names = [n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)]
            outside = {n: self.env.pop(n) for n in names if n in self.env}
            self.loop(node.target, node.iter)
            for part in node.body:
                self.statement(part)
            for n in names:
                self.env.pop(n, None)
            self.env.update(outside)
            for part in node.orelse:
                self.statement(part)
            return
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.refs(child)
            elif isinstance(child, ast.stmt):
                self.statement(child)
            elif isinstance(child, (ast.ExceptHandler, ast.match_case)):
                for inner in child.body:
                    self.statement(inner)
            elif isinstance(child, ast.withitem):
                found = self.refs(child.context_expr)
                if child.optional_vars is not None:
                    self.bind(child.optional_vars, found)


def function(node, name, closure, out, owner=None):
    arguments = node.args if not isinstance(node, ast.Module) else None
    params = [] if arguments is None else [a.arg for a in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]
    scope = Function(node, set(params), closure, out, owner)
    scope.run()
    return {
        "name": name,
        "class": owner,
        "line": getattr(node, "lineno", 1),
        "params": params,
        "kwargs": arguments.kwarg.arg if arguments is not None and arguments.kwarg else None,
        "reads": [[root, list(path), key, default, line] for (root, path, key), (default, line) in sorted(scope.reads.items(), key=str)],
        "flows": [[callee, position, sorted([r, list(p)] for r, p in found)] for (callee, position), found in sorted(scope.flows.items(), key=str)],
        "returns": sorted([r, list(p)] for r, p in scope.returns),
        "named": [scope.named[k] for k in sorted(scope.named)],
        "choices": {a.arg: choice_of(a.annotation) for a in ([] if arguments is None else arguments.posonlyargs + arguments.args + arguments.kwonlyargs)
                    if a.annotation is not None and choice_of(a.annotation)},
    }


def choice_of(annotation):
    """The values of a Literal annotation, or ["$NAME"] for a name that may be an alias of one."""
    values = literal_values(annotation)
    if values:
        return values
    name = terminal(annotation)
    return ["$" + name] if name and name[:1].isupper() else []


class Reads(ast.NodeVisitor):
    """Environment variables, attribute reads of the litellm module, metrics and routes, with whether they happen at import."""

    def __init__(self):
        self.depth = 0
        self.test = 0
        self.stack = []
        self.envs, self.calls, self.wrappers, self.forwards = [], [], {}, []
        self.module_calls = set()
        self.attributes = {}
        self.metrics, self.routes = [], []
        self.equalities = {}

    def inside(self, node, name=None, params=()):
        for default in node.args.defaults + [d for d in node.args.kw_defaults if d]:
            self.visit(default)
        for decorator in getattr(node, "decorator_list", []):
            self.route(decorator, node)
            self.visit(decorator)
        self.depth += 1
        self.stack.append((name, params))
        for part in node.body if isinstance(node.body, list) else [node.body]:
            self.visit(part)
        self.stack.pop()
        self.depth -= 1

    def visit_FunctionDef(self, node):
        self.inside(node, node.name, [a.arg for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs])

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        self.inside(node)

    def tested(self, node):
        self.test += 1
        self.visit(node)
        self.test -= 1

    def visit_If(self, node):
        self.condition(node.test)
        for part in node.body + node.orelse:
            self.visit(part)

    def visit_IfExp(self, node):
        self.condition(node.test)
        self.visit(node.body)
        self.visit(node.orelse)

    def condition(self, node):
        """Only a variable that is itself the condition is read by presence, not one inside a comparison."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node = node.operand
        if isinstance(node, ast.BoolOp):
            for value in node.values:
                self.condition(value)
        elif isinstance(node, ast.Call):
            self.tested(node)
        else:
            self.visit(node)

    def env(self, key, node, default=None, presence=False):
        function, params = self.stack[-1] if self.stack else (None, ())
        name = string(key)
        if name is None and isinstance(key, ast.Name):
            if key.id in params:
                self.wrappers[function] = [params.index(key.id), key.id, list(params)]
                return
            name = "$" + key.id
        elif name is None and isinstance(key, ast.Attribute):
            name = "$" + key.attr
        if name is None:
            return
        name = name.removeprefix("os.environ/")
        if name.startswith("$") or ENV_NAME.fullmatch(name):
            self.envs.append([name, text(default), node.lineno, self.depth == 0, presence, function])

    def visit_Call(self, node):
        name, path = terminal(node.func), dotted(node.func)
        tested, self.test = self.test, 0
        presence = tested > 0
        arguments = list(node.args)
        default = arguments[1] if len(arguments) > 1 else next((k.value for k in node.keywords if k.arg in {"default", "default_value"}), None)
        if name == "getenv" or path and (path.endswith("environ.get") or path.endswith("environ.pop")):
            if arguments:
                self.env(arguments[0], node, default, presence)
        elif name in SECRET_READERS:
            key = arguments[0] if arguments else next((k.value for k in node.keywords if k.arg == "secret_name"), None)
            if key is not None:
                self.env(key, node, default, presence)
        elif name == "getattr" and len(arguments) > 1 and terminal(arguments[0]) == "litellm" and string(arguments[1]):
            self.attributes.setdefault(arguments[1].value, [text(arguments[2]) if len(arguments) > 2 else None, node.lineno])
        else:
            self.metric(node, name)
            if name and self.stack and FORWARDER.search(name):
                function, params = self.stack[-1]
                for position, argument in [(i, a) for i, a in enumerate(arguments)] + [(k.arg, k.value) for k in node.keywords]:
                    if function and isinstance(argument, ast.Name) and argument.id in params:
                        self.forwards.append([function, params.index(argument.id), argument.id, list(params), name, position])
            for keyword in node.keywords:
                # A helper that is told which variables may hold a key: key_env_vars=("TAVILY_API_KEY",).
                if keyword.arg and "env" in keyword.arg.lower() and isinstance(keyword.value, (ast.Tuple, ast.List)):
                    for item in filter(string, keyword.value.elts):
                        self.env(item, node)
            if any(terminal(a) in SECRET_READERS | {"getenv"} for a in arguments):
                for argument in filter(string, arguments):
                    self.env(argument, node)
            for position, argument in [(i, a) for i, a in enumerate(arguments)] + [(k.arg, k.value) for k in node.keywords]:
                value = string(argument)
                if value is not None and ENV_NAME.fullmatch(value) and position is not None and name:
                    rest = arguments[position + 1:] if isinstance(position, int) else []
                    given = text(rest[0]) if rest else text(next((k.value for k in node.keywords if k.arg and k.arg.startswith("default")), None))
                    self.calls.append([name, position, value, given, node.lineno, self.depth == 0, presence])
        if self.depth == 0 and isinstance(node.func, ast.Name):
            self.module_calls.add(node.func.id)
        if name == "bool" and len(arguments) == 1 and isinstance(arguments[0], ast.Call):
            self.tested(arguments[0])
        else:
            self.generic_visit(node)
        self.test = tested

    def visit_Subscript(self, node):
        path = dotted(node.value)
        if isinstance(node.ctx, ast.Load) and path and path.endswith("environ"):
            self.env(node.slice, node)
        self.generic_visit(node)

    def visit_Compare(self, node):
        path = dotted(node.comparators[0])
        if isinstance(node.ops[0], (ast.In, ast.NotIn)) and path and path.endswith("environ"):
            self.env(node.left, node, presence=True)
        value, variable = string(node.comparators[0]), terminal(node.left)
        if isinstance(node.ops[0], ast.Eq) and value is not None and variable in {"callback", "logging_integration"}:
            self.equalities.setdefault(self.stack[-1][0] if self.stack else "", []).append(value)
        if isinstance(node.ops[0], ast.In) and terminal(node.left) == "callback" and self.stack:
            self.equalities.setdefault(self.stack[-1][0], []).extend(strings(node.comparators[0]) or [])
        left = string(node.left)
        if isinstance(node.ops[0], ast.In) and left is not None and terminal(node.comparators[0]) in {"service_callback", "callbacks"}:
            self.equalities.setdefault("in:" + terminal(node.comparators[0]), []).append(left)
        self.generic_visit(node)

    def visit_Attribute(self, node):
        if isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name) and node.value.id == "litellm":
            self.attributes.setdefault(node.attr, [None, node.lineno])
        self.generic_visit(node)

    def metric(self, node, name):
        if not name:
            return
        lowered = name.lower()
        kind = next((k for k in ("counter", "gauge", "histogram", "summary", "info") if name == k.capitalize() or k in lowered and k != "info"), None)
        if kind is None:
            return
        value = next((string(a) for a in node.args if string(a) and METRIC_NAME.fullmatch(a.value)), None)
        labels = None
        for keyword in node.keywords:
            if keyword.arg == "name" and string(keyword.value):
                value = keyword.value.value
            if keyword.arg in {"labelnames", "labels"}:
                labels = keyword.value
        if labels is None and len(node.args) > 2:
            labels = node.args[2]
        if value and METRIC_NAME.fullmatch(value):
            self.metrics.append([kind, value, text(labels, 4000), node.lineno])

    def route(self, decorator, node):
        if not isinstance(decorator, ast.Call) or not isinstance(decorator.func, ast.Attribute):
            return
        method = decorator.func.attr
        path = string(decorator.args[0]) if decorator.args else None
        if method in {"get", "post", "put", "delete", "options", "api_route", "head"} and path and path.startswith("/"):
            self.routes.append([method, path, node.lineno])


def classes(tree):
    out = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        fields, enum, init, lists, aliases = [], [], None, {}, {}
        for part in node.body:
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                if terminal(part.annotation) == "ClassVar" or isinstance(part.annotation, ast.Subscript) and terminal(part.annotation.value) == "ClassVar":
                    continue
                fields.append([part.target.id, text(part.annotation, 600), *field_default(part.value), part.lineno, literal_values(part.annotation)])
                if isinstance(part.value, ast.Call):
                    found = [a for k in part.value.keywords if k.arg in {"validation_alias", "alias"} for a in names_in(k.value)]
                    if found:
                        aliases[part.target.id] = found
            elif isinstance(part, ast.Assign) and len(part.targets) == 1 and isinstance(part.targets[0], ast.Name):
                value = string(part.value)
                if value is not None:
                    enum.append([part.targets[0].id, value])
                lists[part.targets[0].id] = text(part.value, 6000)
            elif isinstance(part, ast.FunctionDef) and part.name == "__init__":
                init = parameters(part)
        bases = []
        for base in node.bases:
            name = terminal(base.value) if isinstance(base, ast.Subscript) else terminal(base)
            if name:
                bases.append(name)
        out[node.name] = {"line": node.lineno, "bases": bases, "fields": fields, "enum": enum, "init": init, "lists": lists, "aliases": aliases}
    return out


def names_in(node):
    """The names in an alias of a field: a text, AliasChoices of texts, or $NAME for a constant."""
    if string(node) is not None:
        return [node.value]
    if isinstance(node, ast.Name):
        return ["$" + node.id]
    if isinstance(node, ast.Call):
        return [name for argument in node.args for name in names_in(argument)]
    return []


def field_default(value):
    """(default, description) of a class field, looking into Field(...)."""
    if isinstance(value, ast.Call) and terminal(value.func) in {"Field", "field"}:
        default = text(value.args[0]) if value.args else None
        description = None
        for keyword in value.keywords:
            if keyword.arg == "default":
                default = text(keyword.value)
            elif keyword.arg == "default_factory":
                default = {"list": "[]", "dict": "{}"}.get(terminal(keyword.value))
            elif keyword.arg == "description":
                description = string(keyword.value)
        return (None if default == "..." else default), description
    return text(value), None


def parameters(node):
    """[name, annotation, default, line, literals] of the parameters of a function, without self."""
    arguments = node.args
    positional = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    out = []
    for argument, default in list(zip(positional, defaults)) + list(zip(arguments.kwonlyargs, arguments.kw_defaults)):
        if argument.arg not in {"self", "cls"}:
            literals = literal_values(argument.annotation) if argument.annotation else []
            out.append([argument.arg, text(argument.annotation, 600), text(default), argument.lineno, literals])
    return out


def options(tree):
    """Arguments of a click command: the decorators of run_server."""
    out = []
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or node.name != "run_server":
            continue
        for decorator in node.decorator_list:
            if not isinstance(decorator, ast.Call) or dotted(decorator.func) != "click.option":
                continue
            names = [n for n in map(string, decorator.args) if n and n.startswith("-")]
            keywords = {k.arg: k.value for k in decorator.keywords}
            kind = keywords.get("type")
            choices = []
            if isinstance(kind, ast.Call) and terminal(kind.func) == "Choice" and kind.args:
                choices = strings(kind.args[0]) or []
            out.append({
                "names": names, "type": text(kind), "flag": text(keywords.get("is_flag")) == "True", "optional": "flag_value" in keywords, "default": text(keywords.get("default")),
                "env": strings(ast.List([keywords["envvar"]], ast.Load())) or strings(keywords["envvar"]) if "envvar" in keywords else None,
                "choices": choices, "help": string(keywords.get("help")), "line": decorator.lineno, "multiple": text(keywords.get("multiple")) == "True",
            })
    return out


def imports(tree):
    out = []
    for node in module_level(tree):
        if isinstance(node, ast.Import):
            out += [[0, alias.name, None, alias.asname or alias.name] for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            out += [[node.level, node.module or "", alias.name, alias.asname or alias.name] for alias in node.names]
    return out


def facts(path, source):
    """Everything `litellm_names` needs from one file. A file that does not parse stops the extraction with its place."""
    try:
        tree = ast.parse(source, path)
    except SyntaxError as error:
        raise SystemExit(f"{path}:{error.lineno}: does not parse: {error.msg}") from error
    constants, literals, variables, defined = {}, {}, [], []
    provider = path.startswith("litellm/llms/")  # providers see requests, not the configuration; of them only the environment counts
    for node in () if provider else module_level(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            defined.append(node.name)
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        for target in targets:
            if not isinstance(target, ast.Name):
                continue
            annotation = text(node.annotation, 600) if isinstance(node, ast.AnnAssign) else None
            variables.append([target.id, annotation, text(node.value, 6000), node.lineno, literal_values(node.annotation) if annotation else []])
            if node.value is None:
                continue
            value = string(node.value)
            many = strings(node.value, constants)
            if value is not None:
                constants[target.id] = value
            elif many is not None:
                constants[target.id] = many
            elif some_strings(node.value):
                literals[target.id] = some_strings(node.value)
            elif isinstance(node.value, (ast.Subscript, ast.BinOp)):
                found = literal_values(node.value)
                if found:
                    literals[target.id] = found
    reads = Reads()
    reads.visit(tree)
    functions = Functions()
    if not provider:
        functions.append(function(tree, "<module>", {}, functions))
    return {
        "imports": imports(tree), "constants": constants, "literals": literals, "variables": variables, "defined": defined, "classes": {} if provider else classes(tree),
        "functions": [f for f in functions if f["reads"] or f["flows"] or f["returns"] or f["named"]],
        "signatures": {} if provider else {n.name: parameters(n) for n in tree.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))},
        "envs": reads.envs, "calls": reads.calls, "wrappers": reads.wrappers, "forwards": reads.forwards, "module_calls": sorted(reads.module_calls),
        "attributes": reads.attributes, "metrics": reads.metrics, "routes": reads.routes, "equalities": reads.equalities,
        "options": options(tree) if path.endswith("proxy_cli.py") else [],
    }
