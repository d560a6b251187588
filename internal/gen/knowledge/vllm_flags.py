"""The arguments of `vllm serve` in one release, read by following the functions that build its argument parser.

`flags(tree)` returns {flag: row}. The functions are walked statement by statement with the few kinds of values that they use; both branches of a
condition count, since a flag that only some platforms have is still a flag. How get_kwargs turns the fields of a configuration class into argparse
keywords is written here once, in the form of the newest releases; its special cases are read from the release's own source.
"""

import ast

from pytree import ClassField, Ref, Scope, Text, Unknown, called_name, class_fields, lineage, members, value_or_text

# Where the parser of `vllm serve` is built, newest first.
SERVE = [
    ("vllm.entrypoints.cli.serve", "subparser_init"),
    ("vllm.entrypoints.common.cli_args", "make_arg_parser"),
    ("vllm.entrypoints.launchers.cli_args", "make_arg_parser"),
    ("vllm.entrypoints.openai.cli_args", "make_arg_parser"),
]


class Kwargs(dict):
    """The argparse keywords of one field: default, type, choices, nargs, action and where it comes from."""


class Table(dict):
    """What get_kwargs returns: field name -> Kwargs."""


PARSER = Text("parser")


class Walker:
    def __init__(self, tree):
        self.tree = tree
        self.flags = {}
        self.depth = 0
        self.booleans_without_action = False
        self.sizes = set()

    # ---- functions

    def function(self, ref, args=None, cls=None):
        if self.depth > 24:
            raise SystemExit(f"{ref.module.file}:{ref.node.lineno}: functions call each other without end")
        names = {}
        for arg in ref.node.args.args + ref.node.args.kwonlyargs:
            names[arg.arg] = PARSER
        if cls is not None:
            names.pop("cls", None), names.pop("self", None)
        names.update(args or {})
        scope = Scope(ref.module, names, cls)
        scope.function = ref
        self.depth += 1
        try:
            return self.block(ref.node.body, scope)
        finally:
            self.depth -= 1

    def block(self, body, scope):
        result = None
        for statement in body:
            value = self.statement(statement, scope)
            result = value if value is not None else result
        return result

    def statement(self, node, scope):
        if isinstance(node, ast.Return):
            return self.value(node.value, scope) if node.value is not None else None
        if isinstance(node, ast.Expr):
            self.value(node.value, scope)
        elif isinstance(node, ast.Assign):
            value = self.value(node.value, scope)
            for target in node.targets:
                self.assign(target, value, scope)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.assign(node.target, self.value(node.value, scope), scope)
        elif isinstance(node, ast.AugAssign):
            self.augment(node, scope)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                if isinstance(target, ast.Subscript):
                    container, key = self.value(target.value, scope), self.value(target.slice, scope)
                    if isinstance(container, dict):
                        container.pop(key, None)
        elif isinstance(node, ast.If):
            first = self.block(node.body, scope)
            second = self.block(node.orelse, scope)
            return first if first is not None else second
        elif isinstance(node, (ast.With, ast.Try)):
            return self.block(node.body, scope)
        elif isinstance(node, ast.For):
            self.loop(node, scope)
        elif isinstance(node, ast.FunctionDef):
            scope.names[node.name] = Ref("function", scope.module, node)
        elif isinstance(node, ast.ImportFrom):
            self.local_import(node, scope)
        return None

    def local_import(self, node, scope):
        base = scope.module._absolute(node)
        module = self.tree.module(base)
        for alias in node.names:
            if module is None:
                continue
            try:
                owner, kind, target = self.tree.lookup(module, alias.name)
            except Unknown:
                continue
            name = alias.asname or alias.name
            if kind == "module":
                scope.names[name] = Ref("module", owner)
            elif kind in ("class", "function"):
                scope.names[name] = Ref(kind, owner, target)
            else:
                scope.names[name] = value_or_text(target, Scope(owner))

    def assign(self, target, value, scope):
        if isinstance(target, ast.Name):
            scope.names[target.id] = value
        elif isinstance(target, ast.Subscript):
            container = self.value(target.value, scope)
            key = self.value(target.slice, scope)
            if isinstance(container, dict) and isinstance(key, str):
                container[key] = value
        elif isinstance(target, ast.Tuple) and isinstance(value, (tuple, list)) and len(value) == len(target.elts):
            for part, item in zip(target.elts, value):
                self.assign(part, item, scope)

    def augment(self, node, scope):
        value = self.value(node.value, scope)
        if isinstance(node.target, ast.Subscript):
            container, key = self.value(node.target.value, scope), self.value(node.target.slice, scope)
            if isinstance(container, dict) and isinstance(container.get(key), list) and isinstance(value, (list, tuple)):
                container[key] = container[key] + list(value)
        elif isinstance(node.target, ast.Name):
            old = scope.names.get(node.target.id)
            if isinstance(old, list) and isinstance(value, (list, tuple)):
                scope.names[node.target.id] = old + list(value)

    def loop(self, node, scope):
        items = None
        if isinstance(node.iter, ast.Call) and called_name(node.iter) == "items":
            table = self.value(node.iter.func.value, scope)
            if isinstance(table, dict):
                items = list(table.items())
        else:
            value = self.value(node.iter, scope)
            if isinstance(value, (list, tuple)):
                items = list(value)
            elif isinstance(value, Fields):
                items = list(value)
        for item in items or []:
            self.assign(node.target, item, scope)
            self.block(node.body, scope)

    # ---- expressions

    def value(self, node, scope):
        if isinstance(node, ast.Call):
            return self.call(node, scope)
        if isinstance(node, ast.Subscript):
            container = self.value(node.value, scope)
            if isinstance(container, dict):
                key = self.value(node.slice, scope)
                if isinstance(key, str) and key in container:
                    return container[key]
                return Text(ast.unparse(node))
        if isinstance(node, ast.Dict):
            out = {}
            for key, item in zip(node.keys, node.values):
                if key is None:
                    other = self.value(item, scope)
                    out.update(other if isinstance(other, dict) else {})
                else:
                    out[self.value(key, scope)] = self.value(item, scope)
            return Kwargs(out)
        if isinstance(node, (ast.List, ast.Tuple)):
            out = []
            for item in node.elts:
                if isinstance(item, ast.Starred):
                    inner = self.value(item.value, scope)
                    out.extend(inner if isinstance(inner, (list, tuple)) else [])
                else:
                    out.append(self.value(item, scope))
            return tuple(out) if isinstance(node, ast.Tuple) else out
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            left, right = self.value(node.left, scope), self.value(node.right, scope)
            if isinstance(left, dict) and isinstance(right, dict):
                return Kwargs({**left, **right})
        if isinstance(node, ast.JoinedStr):
            return self.joined(node, scope)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            base = scope.names.get(node.value.id)
            if isinstance(base, ClassField) and node.attr == "name":
                return base.name
        return value_or_text(node, scope)

    def joined(self, node, scope):
        parts = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                parts.append(part.value)
                continue
            value = self.value(part.value, scope)
            if not isinstance(value, (str, int, float)):
                return Text(ast.unparse(node))
            parts.append(str(value))
        return "".join(parts)

    def call(self, node, scope):
        name = called_name(node)
        func = node.func
        if name == "add_argument" and isinstance(func, ast.Attribute):
            self.add_argument(node, scope)
            return Text("action")
        if name in ("get_kwargs", "_compute_kwargs"):
            cls = self.value(node.args[0], scope)
            if isinstance(cls, Ref) and cls.kind == "class":
                return self.get_kwargs(cls, scope)
            raise SystemExit(f"{scope.module.file}:{node.lineno}: get_kwargs of {ast.unparse(node.args[0])}, which is no class of the package")
        if name == "deepcopy" or name == "copy":
            return self.value(node.args[0], scope) if node.args else self.value(func.value, scope)
        if name == "fields" and node.args:
            cls = self.value(node.args[0], scope)
            if isinstance(cls, Ref) and cls.kind == "class":
                return Fields(class_fields(cls))
        if name in ("pop", "get") and isinstance(func, ast.Attribute) and node.args:
            container = self.value(func.value, scope)
            if isinstance(container, dict):
                key = self.value(node.args[0], scope)
                fallback = self.value(node.args[1], scope) if len(node.args) > 1 else None
                return container.pop(key, fallback) if name == "pop" else container.get(key, fallback)
        if name == "update" and isinstance(func, ast.Attribute):
            container = self.value(func.value, scope)
            if isinstance(container, dict):
                for arg in node.args:
                    other = self.value(arg, scope)
                    container.update(other if isinstance(other, dict) else {})
                for keyword in node.keywords:
                    if keyword.arg:
                        container[keyword.arg] = self.value(keyword.value, scope)
            return None
        if name in ("append", "extend", "remove") and isinstance(func, ast.Attribute):
            container = self.value(func.value, scope)
            if isinstance(container, list) and node.args:
                value = self.value(node.args[0], scope)
                if name == "extend":
                    container.extend(value if isinstance(value, (list, tuple)) else [])
                elif name == "append":
                    container.append(value)
                elif value in container:
                    container.remove(value)
            return None
        if name == "replace" and isinstance(func, ast.Attribute) and len(node.args) == 2:
            text, old, new = self.value(func.value, scope), self.value(node.args[0], scope), self.value(node.args[1], scope)
            if all(isinstance(x, str) for x in (text, old, new)):
                return text.replace(old, new)
        if name in ("optional_type", "parse_type", "nullable_str", "optional_str", "optional_int", "optional_float") and node.args:
            return self.value(node.args[0], scope)
        if name in ("add_argument_group", "add_parser", "add_mutually_exclusive_group", "ArgumentParser", "FlexibleArgumentParser"):
            return PARSER
        return self.call_function(node, scope)

    def call_function(self, node, scope):
        """Calls that may build arguments: functions of the package which are handed the parser or a table of keywords."""
        func, name = node.func, called_name(node)
        args = [self.value(a, scope) for a in node.args if not isinstance(a, ast.Starred)]
        carries = any(a is PARSER or isinstance(a, (Table, Kwargs)) for a in args)
        target, cls = None, None
        if isinstance(func, ast.Attribute):
            if isinstance(func.value, ast.Call) and called_name(func.value) == "super" and scope.cls is not None:
                lineage_names = lineage(scope.cls)
                start = lineage_names.index(getattr(scope, "owner", scope.cls)) + 1 if getattr(scope, "owner", scope.cls) in lineage_names else 1
                for owner in lineage_names[start:]:
                    method = own_method(owner, name)
                    if method is not None:
                        return self.method(method, owner, scope.cls, args)
                return args[0] if args else None
            base = self.value(func.value, scope)
            if isinstance(base, Ref) and base.kind == "class":
                for owner in lineage(base):
                    method = own_method(owner, name)
                    if method is not None:
                        return self.method(method, owner, base, args) if carries else Text(ast.unparse(node))
            if isinstance(base, Ref) and base.kind == "module":
                try:
                    module, kind, tnode = self.tree.lookup(base.module, name)
                    if kind == "function":
                        target = Ref(kind, module, tnode)
                except Unknown:
                    pass
        elif isinstance(func, ast.Name):
            value = value_or_text(func, scope)
            if isinstance(value, Ref) and value.kind == "function":
                target = value
        if target is not None and carries:
            names = {a.arg: v for a, v in zip(target.node.args.args, args)}
            result = self.function(target, names, cls)
            return result if result is not None else PARSER
        return value_or_text(node, scope)

    def method(self, method, owner, cls, args):
        params = [a.arg for a in method.node.args.args]
        if params and params[0] in ("cls", "self"):
            params = params[1:]
        names = dict(zip(params, args))
        if self.depth > 24:
            raise SystemExit(f"{method.module.file}:{method.node.lineno}: methods call each other without end")
        scope = Scope(method.module, names, cls)
        scope.owner = owner
        scope.function = method
        self.depth += 1
        try:
            result = self.block(method.node.body, scope)
        finally:
            self.depth -= 1
        return result if result is not None else PARSER

    # ---- get_kwargs

    def get_kwargs(self, cls, scope):
        function = self.find_get_kwargs(scope)
        source = ast.unparse(function.node) if function is not None else ""
        helper = self.tree.module("vllm.engine.arg_utils").globals.get("literal_to_kwargs")
        if helper and helper[0] == "function":
            source += ast.unparse(helper[1])
        manual_booleans = function is not None and "BooleanOptionalAction" not in source
        sizes = size_fields(function, self.tree) if function is not None else set()
        table = Table()
        for field in class_fields(cls):
            table[field.name] = self.field_kwargs(cls, field, manual_booleans, sizes, source)
        return table

    def find_get_kwargs(self, scope):
        """The function that turns fields into keywords: _compute_kwargs, get_kwargs, or one inside the caller (0.8.4)."""
        module = self.tree.module("vllm.engine.arg_utils")
        for name in ("_compute_kwargs", "get_kwargs"):
            entry = module.globals.get(name)
            if entry and entry[0] == "function":
                return Ref("function", module, entry[1])
        local = scope.names.get("get_kwargs")
        return local if isinstance(local, Ref) else None

    def field_kwargs(self, cls, field, manual_booleans, sizes, source):
        alternatives = field.hints()
        kinds = {h[0] for h in alternatives}
        out = Kwargs(default=field.default_or_text(), field=f"{cls.name}.{field.name}", line=(field.owner.module.file, field.node.lineno))
        out["doc"] = field_doc(field)
        if "enum" in kinds:  # classes that are no configuration: argparse sees a callable
            out["type"] = "str"
            if kinds <= {"enum", "none"}:
                out["choices"], out["case"] = named_choices(field, next(h[1] for h in alternatives if h[0] == "enum"))
            return out
        first = {h[0]: h for h in reversed(alternatives)}
        if manual_booleans:  # 0.8.4
            if kinds == {"bool"}:
                return out
            out["type"] = "str" if "none" in kinds or "str" in kinds else simple(alternatives)
            return out
        if "dataclass" in kinds and "is_dataclass" in source:
            out["type"] = "json"
        elif kinds == {"bool", "str", "none"} and "nargs'] = '?'" in source:
            out["type"], out["nargs"] = "str", "?"
        elif "bool" in kinds:
            out["action"] = "BooleanOptionalAction"
        elif "literal" in kinds:
            values = [v for h in alternatives if h[0] == "literal" for v in h[1]]
            out["choices"] = values
            out["type"] = "int" if values and all(isinstance(v, int) for v in values) else "str"
            if "str" in kinds and "metavar" in source:
                out["open"] = True
        elif kinds & {"tuple", "list", "set"} and (kinds & {"tuple", "list"} or "set" in source):
            item = next(first[k] for k in ("tuple", "list", "set") if k in first)
            out["nargs"] = "+"
            out["type"] = simple(item[1])
            literals = [v for h in item[1] if h[0] == "literal" for v in h[1]]
            if literals:
                out["choices"] = literals
        elif "int" in kinds:
            out["type"] = "int"
            if field.name in sizes:
                out["size"] = True
        elif "float" in kinds:
            out["type"] = "float"
        elif "dict" in kinds:
            out["type"] = "json"
        else:
            out["type"] = "str"
        return out

    # ---- add_argument

    def add_argument(self, node, scope):
        names, kwargs = [], Kwargs()
        for arg in node.args:
            value = self.value(arg.value if isinstance(arg, ast.Starred) else arg, scope)
            if isinstance(arg, ast.Starred):
                names.extend(v for v in value if isinstance(v, str)) if isinstance(value, (list, tuple)) else None
            elif isinstance(value, str):
                names.append(value)
            else:
                raise SystemExit(f"{scope.module.file}:{node.lineno}: argument name {ast.unparse(arg)} is not a constant")
        for keyword in node.keywords:
            if keyword.arg is None:
                value = self.value(keyword.value, scope)
                if not isinstance(value, dict):
                    raise SystemExit(f"{scope.module.file}:{node.lineno}: keywords {ast.unparse(keyword.value)} are not known")
                kwargs.update(value)
                if isinstance(value.get("help"), str):
                    kwargs["doc"] = value["help"]
            elif keyword.arg == "type":
                kwargs["type"] = type_word(keyword.value, scope, self)
                if "human_readable" in ast.unparse(keyword.value):
                    kwargs["size"] = True
            elif keyword.arg == "action":
                kwargs["action"] = action_word(keyword.value)
            elif keyword.arg in ("help",):
                kwargs["doc"] = self.text(keyword.value, scope)
            else:
                kwargs[keyword.arg] = self.value(keyword.value, scope)
        # values that were put into a table beside add_argument
        if isinstance(kwargs.get("type"), (Ref, Text, type)):
            kwargs["type"] = type_name(kwargs["type"])
        if isinstance(kwargs.get("action"), (Ref, Text)):
            kwargs["action"] = repr(kwargs["action"]).split(".")[-1]
        longs = [n for n in names if n.startswith("--")]
        if not longs:
            return
        line = kwargs.get("line") or (scope.module.file, node.lineno)
        row = {
            "source": f"{scope.module.file}:{node.lineno}",
            "field": kwargs.get("field", ""),
            "short": [n for n in names if not n.startswith("--")],
            "aliases": longs[1:],
            "default": default_text(kwargs),
            "choices": choice_list(kwargs.get("choices")),
            "type": flag_type(kwargs),
            "deprecated": is_deprecated(kwargs, longs),
            "size": bool(kwargs.get("size")),
            "case": kwargs.get("case", ""),
            "line": line,
        }
        row["negations"] = negations(longs, kwargs)
        name = longs[0].replace("_", "-")
        row["aliases"] = [a for a in row["aliases"] if a.replace("_", "-") != name]
        old = self.flags.get(name)
        if old is not None:
            row["choices"] = row["choices"] or old["choices"]
            row["deprecated"] = row["deprecated"] or old["deprecated"]
        self.flags[name] = row

    def text(self, node, scope):
        value = self.value(node, scope)
        if isinstance(value, str):
            return value
        constants = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        return " ".join(constants)


class Fields(list):
    """The fields of a class, as dataclasses.fields gives them."""


def own_method(cls, name):
    for node in cls.node.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
            return Ref("function", cls.module, node)
    return None


def size_fields(function, tree):
    """The fields for which get_kwargs chooses a type that reads 1k and 2M: the names it compares with before it does so."""
    out = set()
    for node in ast.walk(function.node):
        if isinstance(node, ast.If) and any("human_readable" in ast.unparse(s) for s in node.body):
            names = [n.value for n in ast.walk(node.test) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
            for name in [n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)]:
                for assigned in ast.walk(function.node):
                    if isinstance(assigned, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in assigned.targets):
                        names += [n.value for n in ast.walk(assigned.value) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
            out.update(n for n in names if n.isidentifier())
    return out


def field_doc(field):
    """The string below a field."""
    body = field.owner.node.body
    for i, node in enumerate(body):
        if node is field.node and i + 1 < len(body):
            below = body[i + 1]
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str):
                return below.value.value
    return ""


def named_choices(field, enum):
    """The words for the members of an enumeration that the configuration reads by name: the names, those that its validator adds, and whether case counts."""
    validators = [n for n in ast.walk(field.owner.node) if isinstance(n, ast.FunctionDef) and any(
        isinstance(d, ast.Call) and called_name(d) == "field_validator" and any(isinstance(a, ast.Constant) and a.value == field.name for a in d.args) for d in n.decorator_list)]
    names = [m.name for m in members(enum)]
    upper = False
    for validator in validators:
        for node in ast.walk(validator):
            if isinstance(node, ast.If) and isinstance(node.test, ast.Compare) and isinstance(node.body[-1], ast.Return):
                names += [c.value for c in node.test.comparators if isinstance(c, ast.Constant) and isinstance(c.value, str)]
            upper = upper or isinstance(node, ast.Attribute) and node.attr == "upper"
    return (names, "any") if upper else ([], "")


def simple(alternatives):
    for h in alternatives:
        if h[0] in ("int", "float", "str"):
            return "str" if any(o[0] == "str" for o in alternatives) else h[0]
        if h[0] == "literal":
            return "str"
    return "str"


def type_name(value):
    if isinstance(value, type):
        return {dict: "json", bool: "bool"}.get(value, value.__name__)
    text = repr(value)
    if "json" in text or "dict" in text:
        return "json"
    if "human_readable" in text or text.endswith("int"):
        return "int"
    if "float" in text:
        return "float"
    return "str"


def type_word(node, scope, walker):
    """The type of an add_argument keyword."""
    text = ast.unparse(node)
    if isinstance(node, ast.Call) and called_name(node) in ("optional_type", "parse_type") and node.args:
        return type_word(node.args[0], scope, walker)
    if isinstance(node, ast.Subscript):
        value = walker.value(node, scope)
        if isinstance(value, str):
            return value
        return type_name(value)
    if "json" in text or "union_dict" in text or "from_cli" in text or text in ("nullable_kvs", "dict"):
        return "json"
    if text == "bool":
        return "bool_value"
    if "human_readable" in text or text in ("int", "nullable_int", "optional_int"):
        return "int"
    if text in ("float", "optional_float"):
        return "float"
    if isinstance(node, ast.Name):
        value = value_or_text(node, scope)
        if isinstance(value, Ref) and value.kind == "function" and any("json" in ast.unparse(n) for n in ast.walk(value.node) if isinstance(n, ast.Attribute)):
            return "json"
    return "str"


def action_word(node):
    if isinstance(node, ast.Constant):
        return node.value
    return ast.unparse(node).split(".")[-1]


def flag_type(kwargs):
    action = kwargs.get("action") or ""
    if action == "BooleanOptionalAction":
        return "bool"
    if action in ("store_true", "store_false"):
        return "store_true" if action == "store_true" else "store_false"
    if action == "StoreBoolean":
        return "bool_value"
    if kwargs.get("nargs") in ("+", "*") or action in ("append", "extend") or isinstance(kwargs.get("nargs"), int):
        return "list"
    if kwargs.get("choices"):
        return "choice|str" if kwargs.get("open") else "choice"
    kind = kwargs.get("type") or "str"
    return kind if isinstance(kind, str) else type_name(kind)


def choice_list(choices):
    if not isinstance(choices, (list, tuple)):
        return []
    out = []
    for choice in choices:
        if choice is None or choice == "None":
            continue
        text = choice if isinstance(choice, str) else repr(choice)
        if text not in out:
            out.append(text)
    return out


def default_text(kwargs):
    if "default" not in kwargs:
        return "False" if kwargs.get("action") == "store_true" else "True" if kwargs.get("action") == "store_false" else "None"
    return repr(kwargs["default"])


def negations(longs, kwargs):
    """The further forms that a boolean accepts: --no-x. The pairing of --enable-x with --disable-x is a property of the parser, not of a flag."""
    if kwargs.get("action") != "BooleanOptionalAction":
        return []
    return ["--no-" + n[2:] for n in longs]


def is_deprecated(kwargs, longs):
    doc = kwargs.get("doc")
    if kwargs.get("deprecated") is True or isinstance(kwargs.get("action"), str) and kwargs["action"].startswith("Deprecated"):
        return True
    if not isinstance(doc, str):
        return False
    if "DEPRECATED" in doc:
        return True
    head = " ".join(doc.split())[:160].lower()
    return head.startswith(("[deprecated", "deprecated", "(deprecated", "this argument is deprecated", "this parameter is deprecated", "this flag is deprecated", "this option is deprecated")) or any(
        head.startswith(f"{n} is deprecated") or f"({n}) is deprecated" in head for n in [x.lower() for x in longs] + [x[2:].replace("-", "_") for x in longs])


def walk(tree):
    walker = Walker(tree)
    for name, function in SERVE:
        module = tree.module(name)
        if module is None:
            continue
        if function == "subparser_init":
            for entry in list(module.globals.values()):
                if entry[0] == "class":
                    method = own_method(Ref("class", module, entry[1]), function)
                    if method is not None:
                        walker.method(method, Ref("class", module, entry[1]), Ref("class", module, entry[1]), [PARSER])
                        return walker
            continue
        if function in module.globals:
            walker.function(Ref("function", module, module.globals[function][1]))
            scripts = tree.module("vllm.scripts")
            if scripts is not None and "main" in scripts.globals:
                serve_in_scripts(walker, scripts)
            return walker
    raise SystemExit(f"{tree.root}: no function builds the parser of vllm serve")


def serve_in_scripts(walker, scripts):
    """The arguments that vllm/scripts.py of 0.6 adds to its serve command beside those of the server."""
    for node in ast.walk(scripts.globals["main"][1]):
        if isinstance(node, ast.Call) and called_name(node) == "add_argument" and isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "serve_parser":
            walker.add_argument(node, Scope(scripts, {}))


def flags(tree):
    """{flag: row} of one release."""
    return walk(tree).flags
