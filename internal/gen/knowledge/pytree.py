"""A Python package read as syntax trees: names are followed through imports, and constant expressions, type hints and dataclass fields evaluated.

Nothing is imported or executed. What cannot be decided from the text raises Unknown, and its source text stands for it.
"""

import ast
import pathlib


class Unknown(Exception):
    """An expression whose value the text does not decide."""


class Ref:
    """A class, function or module of the package."""

    def __init__(self, kind, module, node=None):
        self.kind, self.module, self.node = kind, module, node

    @property
    def name(self):
        return self.node.name if self.node is not None else self.module.name

    def __eq__(self, other):
        return isinstance(other, Ref) and (self.kind, self.module.name, self.name) == (other.kind, other.module.name, other.name)

    def __hash__(self):
        return hash((self.kind, self.module.name, self.name))

    def __repr__(self):
        return self.name


class Instance:
    """The default value that a class builds from itself: CompilationConfig()."""

    def __init__(self, ref):
        self.ref = ref

    def __repr__(self):
        return f"{self.ref.name}()"


class Member:
    """A member of an enumeration."""

    def __init__(self, cls, name, value):
        self.cls, self.name, self.value = cls, name, value

    def __repr__(self):
        return repr(self.value) if isinstance(self.value, (str, int)) else self.name


class Text:
    """A value that only its source text describes."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


class Module:
    def __init__(self, tree, name, path):
        self.tree, self.name, self.path = tree, name, path
        source = path.read_text(encoding="utf-8")
        try:
            self.ast = ast.parse(source, filename=str(path))
        except SyntaxError as error:
            raise SystemExit(f"{path}:{error.lineno}: {error.msg}")
        self.globals = {}
        self.stars = []  # modules whose names are all imported
        self._collect(self.ast.body)

    @property
    def file(self):
        return str(self.path.relative_to(self.tree.root))

    def _collect(self, body):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.globals.setdefault(node.name, ("function", node))
            elif isinstance(node, ast.ClassDef):
                self.globals.setdefault(node.name, ("class", node))
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self.globals[target.id] = ("value", node.value)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
                self.globals[node.target.id] = ("value", node.value)
            elif type(node).__name__ == "TypeAlias":
                self.globals[node.name.id] = ("value", node.value)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    self.globals.setdefault(alias.asname or alias.name.split(".")[0], ("module", alias.name if alias.asname else alias.name.split(".")[0]))
            elif isinstance(node, ast.ImportFrom):
                base = self._absolute(node)
                for alias in node.names:
                    if alias.name == "*":
                        self.stars.append(base)
                    else:
                        self.globals.setdefault(alias.asname or alias.name, ("from", base, alias.name))
            elif isinstance(node, ast.If):
                # In `if TYPE_CHECKING: ... else: ...` the else branch is what runs; elsewhere the first branch is as good as the other.
                branches = (node.orelse, node.body) if "TYPE_CHECKING" in ast.unparse(node.test) and node.orelse else (node.body, node.orelse)
                for branch in branches:
                    self._collect(branch)
            elif isinstance(node, ast.Try):
                self._collect(node.body)
                for handler in node.handlers:
                    self._collect(handler.body)
                self._collect(node.orelse)
            elif isinstance(node, ast.With):
                self._collect(node.body)

    def _absolute(self, node):
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        if self.path.name != "__init__.py":
            parts = parts[:-1]
        parts = parts[: len(parts) - (node.level - 1)]
        return ".".join(parts + ([node.module] if node.module else []))


class Tree:
    """The package below a folder."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self._modules = {}

    def module(self, name):
        """The module with a dotted name, or None when the tree has none."""
        if name not in self._modules:
            base = self.root / pathlib.Path(*name.split("."))
            path = base.with_suffix(".py")
            if not path.is_file():
                path = base / "__init__.py"
            self._modules[name] = Module(self, name, path) if path.is_file() else None
        return self._modules[name]

    def files(self, folder=""):
        return sorted(p for p in (self.root / folder).rglob("*.py"))

    def by_path(self, path):
        parts = list(pathlib.Path(path).relative_to(self.root).with_suffix("").parts)
        if parts[-1] == "__init__":
            parts.pop()
        return self.module(".".join(parts))

    def lookup(self, module, name, depth=0):
        """(module, kind, node) behind a global name, through imports; raises Unknown outside the package."""
        if depth > 12:
            raise Unknown(name)
        entry = module.globals.get(name)
        for star in module.stars if entry is None else ():
            target = self.module(star)
            if target is not None:
                try:
                    return self.lookup(target, name, depth + 1)
                except Unknown:
                    pass
        if entry is None:
            sub = self.module(f"{module.name}.{name}")
            if sub is not None:
                return sub, "module", None
            raise Unknown(f"{module.name}.{name}")
        if entry[0] == "from":
            target = self.module(entry[1])
            if target is None:
                raise Unknown(f"{entry[1]}.{entry[2]}")
            if entry[2] in target.globals:
                return self.lookup(target, entry[2], depth + 1)
            if target.stars:
                try:
                    return self.lookup(target, entry[2], depth + 1)
                except Unknown:
                    pass
            sub = self.module(f"{entry[1]}.{entry[2]}")
            if sub is not None:
                return sub, "module", None
            lazy = lazy_import(self, target, entry[2])
            if lazy is not None:
                return lazy
            raise Unknown(f"{entry[1]}.{entry[2]}")
        if entry[0] == "module":
            target = self.module(entry[1])
            if target is None:
                raise Unknown(entry[1])
            return target, "module", None
        return module, entry[0], entry[1]


def lazy_import(tree, module, name):
    """A name that a package's __getattr__ imports from a table of strings, such as MODULE_ATTRS = {"LLM": ".entrypoints.llm:LLM"}."""
    for kind, node in [e for e in module.globals.values() if e[0] == "value"]:
        if not isinstance(node, ast.Dict):
            continue
        for key, value in zip(node.keys, node.values):
            if isinstance(key, ast.Constant) and key.value == name and isinstance(value, ast.Constant) and isinstance(value.value, str) and ":" in value.value:
                target, attr = value.value.split(":", 1)
                sub = tree.module(module.name + target if target.startswith(".") else target)
                if sub is not None:
                    try:
                        return tree.lookup(sub, attr)
                    except Unknown:
                        return None
    return None


class Scope:
    """Where an expression stands: a module, local names, and the class for cls and self."""

    def __init__(self, module, names=None, cls=None):
        self.module, self.names, self.cls = module, names if names is not None else {}, cls

    @property
    def tree(self):
        return self.module.tree


BUILTINS = {"str": str, "int": int, "float": float, "bool": bool, "dict": dict, "list": list, "tuple": tuple, "set": set, "None": None, "type": type}


def evaluate(node, scope):
    """The value of an expression: constants and containers, Ref, Member, Instance or Text."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return name_value(node.id, scope)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        out = []
        for item in node.elts:
            if isinstance(item, ast.Starred):
                out.extend(iterate(evaluate(item.value, scope)))
            else:
                out.append(evaluate(item, scope))
        return tuple(out) if isinstance(node, ast.Tuple) else out
    if isinstance(node, ast.Dict):
        out = {}
        for key, value in zip(node.keys, node.values):
            if key is None:
                out.update(evaluate(value, scope))
            else:
                k = evaluate(key, scope)
                out[k if isinstance(k, (str, int, float, bool, type(None))) else repr(k)] = value_or_text(value, scope)
        return out
    if isinstance(node, ast.JoinedStr):
        parts = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                parts.append(part.value)
            else:
                value = evaluate(part.value, scope)
                if not isinstance(value, (str, int, float)):
                    raise Unknown(ast.unparse(node))
                parts.append(str(value))
        return "".join(parts)
    if isinstance(node, ast.UnaryOp):
        value = evaluate(node.operand, scope)
        if isinstance(node.op, ast.USub) and isinstance(value, (int, float)):
            return -value
        if isinstance(node.op, ast.Not) and isinstance(value, (bool, int, str, type(None), list)):
            return not value
        raise Unknown(ast.unparse(node))
    if isinstance(node, ast.BinOp):
        return binary(node, scope)
    if isinstance(node, ast.Attribute):
        return attribute(evaluate(node.value, scope), node.attr, scope, node)
    if isinstance(node, ast.Subscript):
        container = evaluate(node.value, scope)
        key = evaluate(node.slice, scope)
        try:
            return container[key]
        except (KeyError, IndexError, TypeError) as error:
            raise Unknown(ast.unparse(node)) from error
    if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
        return comprehension(node, scope)
    if isinstance(node, ast.Call):
        return call(node, scope)
    if isinstance(node, ast.Await):
        raise Unknown(ast.unparse(node))
    raise Unknown(ast.unparse(node) if isinstance(node, ast.AST) else str(node))


def value_or_text(node, scope):
    try:
        return evaluate(node, scope)
    except Unknown:
        return Text(ast.unparse(node))


def name_value(name, scope):
    if name in scope.names:
        return scope.names[name]
    if name == "cls" and scope.cls is not None:
        return scope.cls
    module, kind, node = None, None, None
    try:
        module, kind, node = scope.tree.lookup(scope.module, name)
    except Unknown:
        if name in BUILTINS and name not in scope.module.globals:
            return BUILTINS[name]
        raise
    if kind == "module":
        return Ref("module", module)
    if kind in ("class", "function"):
        return Ref(kind, module, node)
    return evaluate(node, Scope(module))


def binary(node, scope):
    left, right = evaluate(node.left, scope), evaluate(node.right, scope)
    op = type(node.op)
    try:
        if op is ast.Add:
            return left + right
        if op is ast.Mult:
            return left * right
        if op is ast.Sub:
            return left - right
        if op is ast.Div:
            return left / right
        if op is ast.FloorDiv:
            return left // right
        if op is ast.LShift and right < 64:
            return left << right
        if op is ast.Pow and right < 64:
            return left**right
        if op is ast.Mod and isinstance(left, int):
            return left % right
    except TypeError as error:
        raise Unknown(ast.unparse(node)) from error
    raise Unknown(ast.unparse(node))


def attribute(base, attr, scope, node):
    if isinstance(base, Ref) and base.kind == "module":
        module, kind, target = scope.tree.lookup(base.module, attr)
        if kind == "module":
            return Ref("module", module)
        if kind in ("class", "function"):
            return Ref(kind, module, target)
        return evaluate(target, Scope(module))
    if isinstance(base, Ref) and base.kind == "class":
        if attr == "__name__":
            return base.name
        if attr == "__members__":
            return {m.name: m for m in members(base)}
        for member in members(base):
            if member.name == attr:
                return member
        for field in class_fields(base):
            if field.name == attr:
                return field.default()
        for owner in lineage(base):
            for item in owner.node.body:
                if isinstance(item, ast.Assign) and any(isinstance(t, ast.Name) and t.id == attr for t in item.targets):
                    return evaluate(item.value, Scope(owner.module, cls=owner))
        method = find_method(base, attr)
        if method is not None:
            return method
    if isinstance(base, Member):
        if attr == "value":
            return base.value
        if attr == "name":
            return base.name
    raise Unknown(ast.unparse(node))


def iterate(value):
    if isinstance(value, Ref) and value.kind == "class" and is_enum(value):
        return members(value)
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, dict):
        return list(value)
    raise Unknown(repr(value))


def comprehension(node, scope):
    if len(node.generators) != 1 or node.generators[0].ifs or not isinstance(node.generators[0].target, ast.Name):
        raise Unknown(ast.unparse(node))
    generator = node.generators[0]
    out = []
    for item in iterate(evaluate(generator.iter, scope)):
        inner = Scope(scope.module, {**scope.names, generator.target.id: item}, scope.cls)
        out.append(evaluate(node.elt, inner))
    return out


def called_name(node):
    """The last part of what a call calls: get_args for typing.get_args(...)."""
    func = node.func
    while isinstance(func, ast.Subscript):
        func = func.value
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else ""


def call(node, scope):
    name = called_name(node)
    if name == "get_args" and node.args:
        return [v for hint in hints(node.args[0], scope) if hint[0] == "literal" for v in hint[1]]
    if name in ("list", "tuple", "sorted", "set", "frozenset") and isinstance(node.func, ast.Name):
        items = iterate(evaluate(node.args[0], scope)) if node.args else []
        if name == "sorted":
            items = sorted(items, key=str)
        return tuple(items) if name == "tuple" else list(items)
    if name == "dict" and not node.args and isinstance(node.func, ast.Name):
        return {k.arg: value_or_text(k.value, scope) for k in node.keywords}
    if name == "keys" and isinstance(node.func, ast.Attribute):
        return iterate(evaluate(node.func.value, scope))
    if name == "values" and isinstance(node.func, ast.Attribute):
        value = evaluate(node.func.value, scope)
        if isinstance(value, dict):
            return list(value.values())
    if name in ("lower", "upper") and isinstance(node.func, ast.Attribute) and not node.args:
        value = evaluate(node.func.value, scope)
        if isinstance(value, str):
            return getattr(value, name)()
    if name == "join" and isinstance(node.func, ast.Attribute) and node.args:
        glue, items = evaluate(node.func.value, scope), iterate(evaluate(node.args[0], scope))
        if isinstance(glue, str) and all(isinstance(i, str) for i in items):
            return glue.join(items)
    if name == "get_field" and len(node.args) == 2:
        cls, attr = evaluate(node.args[0], scope), evaluate(node.args[1], scope)
        return attribute(cls, attr, scope, node)
    if name in ("Field", "field"):
        return field_default(node, scope)
    if name in ("int", "str", "float", "bool") and isinstance(node.func, ast.Name) and len(node.args) == 1:
        value = evaluate(node.args[0], scope)
        if isinstance(value, (str, int, float, bool)):
            try:
                return BUILTINS[name](value)
            except ValueError as error:
                raise Unknown(ast.unparse(node)) from error
    try:
        target = evaluate(node.func, scope)
    except Unknown:
        raise Unknown(ast.unparse(node)) from None
    if isinstance(target, Ref) and target.kind == "class" and not node.args and not node.keywords:
        return Instance(target)
    if isinstance(target, Ref) and target.kind == "function":
        return returned(target, [evaluate(a, scope) for a in node.args])
    raise Unknown(ast.unparse(node))


def returned(function, args=()):
    """The value of a function that only returns one expression."""
    body = [s for s in function.node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    params = [a.arg for a in function.node.args.args]
    if len(body) == 1 and isinstance(body[0], ast.Return) and body[0].value is not None and len(params) == len(args):
        return evaluate(body[0].value, Scope(function.module, dict(zip(params, args))))
    raise Unknown(function.name)


def field_default(node, scope):
    """The default of dataclasses.field(...) or pydantic.Field(...)."""
    for keyword in node.keywords:
        if keyword.arg == "default":
            return evaluate(keyword.value, scope)
        if keyword.arg in ("default_factory", "factory"):
            return factory_value(keyword.value, scope)
    if called_name(node) == "Field" and node.args and not (isinstance(node.args[0], ast.Constant) and node.args[0].value is Ellipsis):
        return evaluate(node.args[0], scope)
    raise Unknown(ast.unparse(node))


def factory_value(node, scope):
    if isinstance(node, ast.Lambda):
        return value_or_text(node.body, scope)
    if isinstance(node, ast.Name) and node.id in ("list", "dict", "set", "tuple") and node.id not in scope.module.globals:
        return {} if node.id == "dict" else []
    target = evaluate(node, scope)
    if isinstance(target, Ref) and target.kind == "class":
        return Instance(target)
    if isinstance(target, Ref) and target.kind == "function":
        return returned(target)
    raise Unknown(ast.unparse(node))


# ---- classes


def bases(cls):
    out = []
    for base in cls.node.bases:
        try:
            value = evaluate(base, Scope(cls.module))
        except Unknown:
            continue
        if isinstance(value, Ref) and value.kind == "class":
            out.append(value)
    return out


def lineage(cls):
    """The class and its bases, nearest first."""
    seen, queue = [], [cls]
    while queue:
        current = queue.pop(0)
        if current not in seen:
            seen.append(current)
            queue.extend(bases(current))
    return seen


def find_method(cls, name):
    for owner in lineage(cls):
        for node in owner.node.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
                return Ref("function", owner.module, node)
    return None


def is_enum(cls):
    return any("Enum" in ast.unparse(b) for owner in lineage(cls) for b in owner.node.bases)


def members(cls):
    if not is_enum(cls):
        return []
    out = []
    for owner in reversed(lineage(cls)):
        for node in owner.node.body:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and not node.targets[0].id.startswith("_"):
                out.append(Member(cls, node.targets[0].id, value_or_text(node.value, Scope(owner.module))))
    return out


def is_dataclass(cls):
    return any(word in ast.unparse(d) for owner in lineage(cls) for d in owner.node.decorator_list for word in ("dataclass", "config"))


class ClassField:
    def __init__(self, owner, node):
        self.owner, self.node = owner, node
        self.name = node.target.id

    def default(self):
        """Its default; raises Unknown when it has none or none that the text decides."""
        if self.node.value is None:
            raise Unknown(self.name)
        return evaluate(self.node.value, Scope(self.owner.module, cls=self.owner))

    def default_or_text(self):
        try:
            return self.default()
        except Unknown:
            if self.node.value is None:
                return None
            value = self.node.value
            if isinstance(value, ast.Call) and called_name(value) in ("field", "Field"):
                for keyword in value.keywords:
                    if keyword.arg in ("default", "default_factory"):
                        text = ast.unparse(keyword.value)
                        return Text(text if keyword.arg == "default" else text + "()")
            return Text(ast.unparse(value))

    def required(self):
        value = self.node.value
        if value is None:
            return True
        if isinstance(value, ast.Call) and called_name(value) in ("field", "Field"):
            return not any(k.arg in ("default", "default_factory") for k in value.keywords) and (called_name(value) == "field" or not value.args)
        return False

    def hints(self):
        return hints(self.node.annotation, Scope(self.owner.module, cls=self.owner))


def class_fields(cls):
    """The annotated fields of a class and its bases, in the order of dataclasses.fields."""
    out = {}
    for owner in reversed(lineage(cls)):
        for node in owner.node.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                text = ast.unparse(node.annotation)
                if "ClassVar" in text or "InitVar" in text or node.target.id.startswith("_"):
                    continue
                out[node.target.id] = ClassField(owner, node)
    return list(out.values())


# ---- type hints


def hints(node, scope, depth=0):
    """A type hint as a list of alternatives: ("bool",), ("literal", values), ("list", hints), ("dataclass", Ref), ("other", text), ..."""
    if depth > 12:
        return [("other", ast.unparse(node))]
    if isinstance(node, ast.Constant):
        if node.value is None:
            return [("none",)]
        if isinstance(node.value, str):
            try:
                return hints(ast.parse(node.value, mode="eval").body, scope, depth + 1)
            except SyntaxError:
                return [("other", node.value)]
        return [("other", repr(node.value))]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return hints(node.left, scope, depth + 1) + hints(node.right, scope, depth + 1)
    if isinstance(node, ast.Subscript):
        base = called_name(ast.Call(node.value, [], []))
        args = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if base in ("Union",):
            return [h for a in args for h in hints(a, scope, depth + 1)]
        if base == "Optional":
            return hints(args[0], scope, depth + 1) + [("none",)]
        if base in ("Annotated", "SkipValidation", "Final", "Required", "NotRequired"):
            return hints(args[0], scope, depth + 1)
        if base == "Literal":
            values = []
            for a in args:
                if isinstance(a, ast.Constant):
                    values.append(a.value)
                else:
                    values.extend(v for h in hints(a, scope, depth + 1) if h[0] == "literal" for v in h[1])
            return [("literal", values)]
        if base in ("list", "List", "Sequence", "Iterable"):
            return [("list", hints(args[0], scope, depth + 1))]
        if base in ("set", "Set", "frozenset"):
            return [("set", hints(args[0], scope, depth + 1))]
        if base in ("tuple", "Tuple"):
            return [("tuple", hints(args[0], scope, depth + 1))]
        if base in ("dict", "Dict", "Mapping", "OrderedDict", "defaultdict"):
            return [("dict",)]
        return [("other", ast.unparse(node))]
    if isinstance(node, ast.Name):
        plain = {"bool": "bool", "int": "int", "str": "str", "float": "float", "dict": "dict", "Dict": "dict", "None": "none", "Any": "any"}
        if node.id in plain and scope.module.globals.get(node.id, ("from",))[0] in ("from",):
            return [(plain[node.id],)]
        if node.id in ("list", "List", "set", "tuple"):
            return [("list" if node.id in ("list", "List") else node.id, [("str",)])]
    if isinstance(node, (ast.Name, ast.Attribute)):
        try:
            if isinstance(node, ast.Name):
                module, kind, target = scope.tree.lookup(scope.module, node.id)
            else:
                base = evaluate(node.value, scope)
                if not isinstance(base, Ref) or base.kind != "module":
                    raise Unknown(ast.unparse(node))
                module, kind, target = scope.tree.lookup(base.module, node.attr)
        except Unknown:
            return [("other", ast.unparse(node))]
        if kind == "value":
            return hints(target, Scope(module), depth + 1)
        if kind == "class":
            ref = Ref("class", module, target)
            if is_enum(ref):
                return [("enum", ref)]
            if any(called_name(ast.Call(b, [], [])) in ("dict", "Dict", "UserDict") for o in lineage(ref) for b in o.node.bases):
                return [("dict",)]
            if is_dataclass(ref) or any(isinstance(b, ast.Name) and b.id == "BaseModel" for o in lineage(ref) for b in o.node.bases):
                return [("dataclass", ref)]
        return [("other", ast.unparse(node))]
    if isinstance(node, ast.Call) and called_name(node) == "NewType" and len(node.args) == 2:
        return hints(node.args[1], scope, depth + 1)
    if isinstance(node, ast.IfExp):
        return hints(node.body, scope, depth + 1)
    return [("other", ast.unparse(node))]
