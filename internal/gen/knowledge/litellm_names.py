"""The names that one LiteLLM release knows, joined from the facts of its files.

`names` returns {kind: {(section, name): row}}; a row has type, default, choices, source and attributes of that release only.
"""

import ast
import re

import litellm_facts

FLOW_LIMIT = 4  # functions of one name beyond which a call says nothing about which is meant

# Names that are called everywhere and would carry a section into unrelated functions.
COMMON = {
    "get", "update", "append", "extend", "add", "set", "print", "format", "dumps", "loads", "str", "len", "int", "float", "bool", "isinstance", "hasattr",
    "debug", "info", "warning", "error", "exception", "critical", "setattr", "join", "split", "items", "keys", "values", "validate", "run", "log", "encode",
    "decode", "model_dump", "copy", "wraps", "field", "Field", "callable", "type", "max", "min", "any", "all", "zip", "map", "filter", "hash", "repr",
}

# Sections of the configuration, the sections they are read from, and the classes whose fields are their keys.
SECTIONS = {
    "general_settings": ("ConfigGeneralSettings",),
    "coordination_redis": ("CoordinationRedisParams", "CoordinationRedisConfig"),
    "litellm_jwtauth": ("LiteLLM_JWTAuth",),
    "alerting_args": ("SlackAlertingArgs",),
    "pass_through_endpoints": ("PassThroughGenericEndpoint",),
    "litellm_params": ("LiteLLM_Params",),
    "model_info": ("ModelInfo", "ModelInfoBase"),
    "guardrails": ("Guardrail",),
    "guardrails.litellm_params": ("LitellmParams",),
    "mcp_servers": (),
    "router_settings": (),
    "litellm_settings": (),
    "cache_params": (),
    "": (),
}

# Where a path of keys ends up: the longest suffix rule that fits decides.
PATHS = {
    ("config", "general_settings"): "general_settings",
    ("config", "litellm_settings"): "litellm_settings",
    ("config", "router_settings"): "router_settings",
    ("config",): "",
    ("general_settings",): "general_settings",
    ("general_settings", "coordination_redis"): "coordination_redis",
    ("general_settings", "litellm_jwtauth"): "litellm_jwtauth",
    ("general_settings", "alerting_args"): "alerting_args",
    ("general_settings", "pass_through_endpoints", "*"): "pass_through_endpoints",
    ("litellm_settings",): "litellm_settings",
    ("litellm_settings", "cache_params"): "cache_params",
    ("router_settings",): "router_settings",
    ("cache_params",): "cache_params",
    ("config", "mcp_servers", "*"): "mcp_servers",
    ("config", "model_list", "*", "litellm_params"): "litellm_params",
    ("config", "model_list", "*", "model_info"): "model_info",
    ("config", "model_list", "*"): "model_list",
    ("config", "guardrails", "*"): "guardrails",
    ("config", "guardrails", "*", "litellm_params"): "guardrails.litellm_params",
}

# Files that handle the whole configuration under the name config; elsewhere config is anything.
TOP_FILES = {"litellm/proxy/proxy_server.py", "litellm/proxy/common_utils/config_includes.py"}

DEPLOYMENT_FILES = ("litellm/router", "litellm/proxy/health_check", "litellm/proxy/proxy_server.py", "litellm/proxy/common_utils/", "litellm/proxy/hooks/")

# Read at the top level by a function that warns about the wrong place, or from a database row that is named config too.
NOT_TOP = {"enable_jwt_auth", "litellm_jwtauth", "force_reload", "interval_hours"}

# Keys of litellm_settings whose variable holds an object that is built from another form.
WRITTEN = {"cache": "bool", "callbacks": "list", "guardrails": "list", "vector_store_registry": "list", "custom_provider_map": "list", "post_call_rules": "str"}

PREFIXES = {path[:n] for path in PATHS for n in range(1, len(path) + 1)}

SIMPLE = {
    "str": "str", "int": "int", "float": "float", "bool": "bool", "list": "list", "List": "list", "Sequence": "list", "set": "list", "Set": "list",
    "tuple": "list", "Tuple": "list", "Iterable": "list", "frozenset": "list", "dict": "dict", "Dict": "dict", "Mapping": "dict", "MutableMapping": "dict",
    "TypedDict": "dict", "Callable": "str", "bytes": "str", "datetime": "str", "SecretStr": "str", "HttpUrl": "str",
    "PositiveInt": "int", "NonNegativeInt": "int", "PositiveFloat": "float", "StrictBool": "bool", "StrictStr": "str", "StrictInt": "int", "Path": "str",
}


class Release:
    """The facts of all files of one release, with lookups over them."""

    def __init__(self, version, files):
        self.version = version
        self.files = files  # path -> facts
        self.by_class, self.by_function = {}, {}
        self.constants = {}
        for path in sorted(files):
            f = files[path]
            for name, data in f["classes"].items():
                self.by_class.setdefault(name, []).append((path, data))
            for index, function in enumerate(f["functions"]):
                self.by_function.setdefault(function["name"], []).append((path, index))
            for name, value in f["constants"].items():
                self.constants.setdefault(name, []).append(value)
        self.modules = {self.module(path): path for path in files}

    @staticmethod
    def module(path):
        name = path[:-3].replace("/", ".")
        return name.removesuffix(".__init__")

    def constant(self, name, path=None):
        """The value of a constant: that of the file, else the only one in the release."""
        if path is not None and name in self.files[path]["constants"]:
            return self.files[path]["constants"][name]
        values = [v for i, v in enumerate(self.constants.get(name, [])) if v not in self.constants[name][:i]]
        return values[0] if len(values) == 1 else None

    def find_class(self, name, prefer=""):
        found = self.by_class.get(name, [])
        found = [c for c in found if c[0].startswith(prefer)] or found
        return found[0] if found else None

    def class_fields(self, name, prefer="", seen=None):
        """[(field, annotation, default, description, line, literals, path)] of a class and its bases; a field of the class itself wins."""
        seen = set() if seen is None else seen
        found = self.find_class(name, prefer)
        if found is None or name in seen:
            return []
        seen.add(name)
        path, data = found
        out = {f[0]: (*f, path) for f in data["fields"]}
        for base in data["bases"]:
            if base in {"BaseModel", "TypedDict", "Enum", "object"}:
                continue
            for f in self.class_fields(base, path.rsplit("/", 1)[0], seen):
                out.setdefault(f[0], f)
        return list(out.values())

    def enum_values(self, name):
        found = self.find_class(name)
        return [v for _, v in found[1]["enum"]] if found else []

    def resolve(self, key, path):
        """The strings behind a key of a read: itself, or the values of the constant $NAME."""
        if not key.startswith("$"):
            return [key]
        value = self.constant(key[1:], path)
        if value is None:
            for f in (self.files[path], *self.files.values()):
                if key[1:] in f["literals"]:
                    return f["literals"][key[1:]]
                for data in f["classes"].values():
                    for enum, text in data["enum"]:
                        if enum == key[1:] and f is self.files[path]:
                            return [text]
            return []
        return [value] if isinstance(value, str) else value

    def type_of(self, annotation, literals=()):
        """(type, choices) of an annotation in the words of the tables."""
        if not annotation:
            return "", []
        try:
            tree = ast.parse(annotation.replace('"', ""), mode="eval").body if "[" not in annotation or "Literal" not in annotation else ast.parse(annotation, mode="eval").body
        except SyntaxError:
            return "", []
        words, choices = [], [v for v in literals if not v.startswith("$")]

        def add(word):
            if word and word not in words:
                words.append(word)

        def walk(node, depth=0):
            if isinstance(node, ast.Constant):
                if isinstance(node.value, str):
                    try:
                        walk(ast.parse(node.value, mode="eval").body, depth)
                    except SyntaxError:
                        pass
                return
            if isinstance(node, ast.BinOp):
                walk(node.left, depth)
                walk(node.right, depth)
                return
            if isinstance(node, ast.Subscript):
                outer = litellm_facts.terminal(node.value)
                inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                if outer in {"Optional", "Union", "Final", "Required", "NotRequired", "ReadOnly", "ClassVar"}:
                    for part in inner:
                        walk(part, depth)
                elif outer == "Annotated":
                    walk(inner[0], depth)
                elif outer == "Literal":
                    kinds = {type(p.value) for p in inner if isinstance(p, ast.Constant)}
                    add("bool" if kinds == {bool} else "int" if kinds == {int} else "choice")
                else:
                    walk(node.value, depth)
                return
            name = litellm_facts.terminal(node)
            if name in {None, "None", "Any", "object"}:
                return
            if name in SIMPLE:
                add(SIMPLE[name])
                return
            alias = None
            for f in self.files.values():
                if name in f["literals"]:
                    alias = f["literals"][name]
                    whole = next((v[2] for v in f["variables"] if v[0] == name), None) or ""
                    break
            if alias and re.match(r"(typing\.)?(List|list|Sequence|Set|set)\[", whole):
                add("list")
                choices.extend(v for v in alias if v not in choices)
                return
            if alias:
                add("choice")
                choices.extend(v for v in alias if v not in choices)
                return
            found = self.find_class(name)
            if found and self.is_enum(name):
                add("choice")
                choices.extend(v for v in self.enum_values(name) if v not in choices)
            elif found:
                if self.is_mapping(name):
                    add("dict")
            elif depth < 3:
                for f in self.files.values():
                    target = next((v for v in f["variables"] if v[0] == name and v[2]), None)
                    if target and re.match(r"(typing\.)?(Union|Optional|Dict|dict|List|list|Mapping|Annotated)\b", target[2]):
                        try:
                            walk(ast.parse(target[2], mode="eval").body, depth + 1)
                        except SyntaxError:
                            pass
                        return

        walk(tree)
        if "choice" not in words and words != ["list"]:
            choices = []
        return "|".join(words), choices

    def is_mapping(self, name, depth=0):
        """Whether a class is written as a mapping in the configuration: a pydantic model, a typed dictionary or a dataclass of one."""
        found = self.find_class(name)
        if not found or depth > 6:
            return False
        return any(b in {"BaseModel", "TypedDict"} or b.endswith(("PydanticObjectBase", "LiteLLMBaseModel")) or self.is_mapping(b, depth + 1) for b in found[1]["bases"])

    def is_enum(self, name):
        found = self.find_class(name)
        return bool(found) and any("Enum" in b for b in found[1]["bases"])

    # Configuration keys

    @staticmethod
    def deployment_part(path, root, keys):
        """litellm_params or model_info for a read from a deployment's part in the files that handle deployments, or from the parameters of a call
        in the hooks that prepare it."""
        last = keys[-1] if keys else root.rsplit(">", 1)[-1]
        if path.startswith(DEPLOYMENT_FILES):
            if last in {"litellm_params", "_litellm_params"}:
                return "litellm_params"
            if last in {"model_info", "_model_info"}:
                return "model_info"
        if path.startswith("litellm/integrations/") and not keys and last == "non_default_params":
            return "litellm_params"
        return None

    def targets(self, callee, path):
        """The functions that a call of that name in a file may mean: those of the file itself, else public ones, when there are few enough."""
        if callee in COMMON:
            return []
        found = self.by_function.get(callee, [])
        own = [t for t in found if t[0] == path]
        if own:
            found = own
        elif callee.startswith("_"):
            return []
        return found if len(found) <= FLOW_LIMIT else []

    @staticmethod
    def roots(function):
        """The names that mappings come from in a function."""
        return ({r[0] for r in function["reads"]} | {r for _, _, refs in function["flows"] for r, _ in refs} | {r for r, _ in function["returns"]}
                | {r for _, _, passed, _ in function["named"] for refs in passed.values() for r, _ in refs})

    def spread(self):
        """Where each section of the configuration is read: {section: {key: (default, path, line)}}."""
        # sections[(path, index)][root] is the set of key paths that the root of a function may stand for.
        sections, pending, returned = {}, [], {}
        for path, f in self.files.items():
            for index, function in enumerate(f["functions"]):
                known = sections.setdefault((path, index), {})
                roots = self.roots(function)
                for root in {r.rsplit(">", 1)[-1] for r in roots}:
                    found = litellm_facts.seed(root)
                    if found is None and root == "config" and path in TOP_FILES and (function["class"] == "ProxyConfig" or "config_includes" in path):
                        found = ("config",)
                    if found is not None:
                        known.setdefault(root, set()).add(found)
                pending.append((path, index))
        pending_set = set(pending)
        callers = {}
        for place in pending:
            function = self.files[place[0]]["functions"][place[1]]
            for root in self.roots(function):
                inner = root.rsplit(">", 1)[-1]
                if inner.startswith("call:"):
                    callers.setdefault(inner[5:], []).append(place)
        while pending:
            place = pending.pop()
            pending_set.discard(place)
            path, index = place
            function = self.files[path]["functions"][index]
            known = sections[place]
            for root in self.roots(function):
                inner = root.rsplit(">", 1)[-1]
                if inner.startswith("call:"):
                    # get_config is also what every provider calls its own defaults.
                    known.setdefault(inner, set()).update(r for r in returned.get(inner[5:], ()) if r != ("config",) or path in TOP_FILES)
                if inner != root and all(self.hands_back(step) for step in root.split(">")[:-1]):
                    known.setdefault(root, set()).update(known.get(inner, ()))
            # What a parameter brought in belongs to one caller only, so it is not what the function returns to all.
            own = [r for r in function["returns"] if r[0].rsplit(">", 1)[-1] not in function["params"] or litellm_facts.seed(r[0].rsplit(">", 1)[-1])]
            result = {self.normal(s + tuple(p)) for r, p in own for s in known.get(r, ())}
            result.discard(None)
            if result - returned.get(function["name"], set()) and len(self.by_function[function["name"]]) <= FLOW_LIMIT and function["name"] not in COMMON:
                returned.setdefault(function["name"], set()).update(result)
                for caller in callers.get(function["name"], ()):
                    if caller not in pending_set:
                        pending.append(caller)
                        pending_set.add(caller)
            for callee, position, refs in function["flows"]:
                targets = self.targets(callee, path) if position != "**" else []
                if not targets:
                    continue
                passed = {self.normal(s + tuple(p)) for r, p in refs for s in known.get(r, ())}
                passed.discard(None)
                if ("config",) in passed and not all(t[0] in TOP_FILES for t in targets):
                    passed.discard(("config",))
                if not passed:
                    continue
                for target in targets:
                    g = self.files[target[0]]["functions"][target[1]]
                    name = position
                    if isinstance(position, int):
                        params = g["params"][1:] if g["class"] and g["params"][:1] in (["self"], ["cls"]) else g["params"]
                        name = params[position] if position < len(params) else None
                    if name in g["params"] and passed - sections[target].get(name, set()):
                        sections[target].setdefault(name, set()).update(passed)
                        if target not in pending_set:
                            pending.append(target)
                            pending_set.add(target)
        out, parameters = {}, {}
        for (path, index), known in sections.items():
            function = self.files[path]["functions"][index]
            for root, keys, key, default, line in function["reads"]:
                section = self.deployment_part(path, root, keys)
                if section and re.fullmatch(r"[a-z][a-z0-9_]*", key):
                    out.setdefault(section, {}).setdefault(key, []).append((default, path, line))
                for start in known.get(root, ()):
                    section = PATHS.get(self.normal(start + tuple(keys)))
                    if section is None:
                        continue
                    if key.startswith("@"):
                        parameters.setdefault((path, index), {}).setdefault(key[1:], []).append((root, tuple(keys), default, line))
                        continue
                    for name in self.resolve(key, path):
                        if re.fullmatch(r"[A-Za-z][A-Za-z0-9_.\-]*", name):
                            out.setdefault(section, {}).setdefault(name, []).append((default, path, line))
            for callee, position, refs in function["flows"]:
                if position != "**":
                    continue
                for r, p in refs:
                    for start in known.get(r, ()):
                        section = PATHS.get(self.normal(start + tuple(p)))
                        if section in {"coordination_redis", "pass_through_endpoints", "alerting_args", "litellm_jwtauth", "cache_params", "mcp_servers"}:
                            for f in self.class_fields(callee):
                                out.setdefault(section, {}).setdefault(f[0], []).append((f[2], f[6], f[4]))
        self.named_reads(sections, parameters, out)
        return out

    def named_reads(self, sections, parameters, out):
        """Reads of a key whose name is an argument: of the values of its Literal type, and of the names that callers pass."""
        def add(section, name, default, path, line):
            if section is not None and re.fullmatch(r"[a-z][A-Za-z0-9_]*", name):
                out.setdefault(section, {}).setdefault(name, []).append((default, path, line))

        for (path, index), by_parameter in parameters.items():
            function = self.files[path]["functions"][index]
            known = sections[path, index]
            # NAME_SETTING = "name" beside a function that takes the name of a setting is such a name.
            for reads in by_parameter.values():
                for section in {PATHS.get(self.normal(start + keys)) for root, keys, _, _ in reads for start in known.get(root, ())}:
                    for constant, value in self.files[path]["constants"].items():
                        if constant.endswith("_SETTING") and isinstance(value, str):
                            add(section, value, None, path, next((v[3] for v in self.files[path]["variables"] if v[0] == constant), 1))
            for parameter, reads in by_parameter.items():
                values = [v for c in function["choices"].get(parameter, []) for v in (self.resolve(c, path) if c.startswith("$") else [c])]
                for root, keys, default, line in reads:
                    for start in known.get(root, ()):
                        for value in values:
                            add(PATHS.get(self.normal(start + keys)), value, default, path, line)
        for (path, index), known in sections.items():
            for callee, given, passed, line in self.files[path]["functions"][index]["named"]:
                for target in self.targets(callee, path):
                    g = self.files[target[0]]["functions"][target[1]]
                    params = g["params"][1:] if g["class"] and g["params"][:1] in (["self"], ["cls"]) else g["params"]
                    for parameter, reads in parameters.get(target, {}).items():
                        places = {parameter} | ({str(params.index(parameter))} if parameter in params else set())
                        name = next((given[p] for p in places if p in given), None)
                        if name is None or name.startswith("@"):
                            continue
                        for root, keys, default, _ in reads:
                            if root in g["params"] and not litellm_facts.seed(root):
                                spots = {root} | ({str(params.index(root))} if root in params else set())
                                starts = {s + tuple(p) for spot in spots for r, p in passed.get(spot, ()) for s in known.get(r, ())}
                            else:
                                starts = sections[target].get(root, ())
                            for start in starts:
                                for value in self.resolve(name, path):
                                    add(PATHS.get(self.normal(tuple(start) + keys)), value, default, path, line)

    def hands_back(self, step):
        """Whether some function of that name returns the argument at that position as it is."""
        name, position = step.split(":", 1)
        targets = self.by_function.get(name, [])
        if len(targets) > FLOW_LIMIT or name in COMMON:
            return False
        for path, index in targets:
            g = self.files[path]["functions"][index]
            param = position
            if position.isdigit():
                params = g["params"][1:] if g["class"] and g["params"][:1] in (["self"], ["cls"]) else g["params"]
                param = params[int(position)] if int(position) < len(params) else None
            if param is not None and [param, []] in g["returns"]:
                return True
        return False

    @staticmethod
    def normal(path):
        """A path of keys with the root that PATHS uses; None when no section can lie below it."""
        if path[:1] == ("config",) and path[1:2] in {("general_settings",), ("litellm_settings",), ("router_settings",)}:
            path = path[1:]
        if path[:2] == ("litellm_settings", "cache_params"):
            path = path[1:]
        return path if path in PREFIXES else None

    def setting_rows(self):
        rows = {}
        reads = self.spread()

        def put(section, name, type_="", default=None, choices=(), path="", line=0, **attrs):
            if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_.\-]*", name):
                return
            row = rows.setdefault((section, name), {"type": "", "default": None, "choices": "", "source": "", "attrs": {}})
            row["type"] = row["type"] or type_
            if row["default"] is None and default is not None and len(default) <= 80:
                row["default"] = default
            row["choices"] = row["choices"] or ",".join(choices)
            row["source"] = row["source"] or (f"{path}:{line}" if path else "")
            row["attrs"].update(attrs)

        for section, class_names in SECTIONS.items():
            for class_name in class_names:
                prefer = {"litellm_params": "litellm/types/router", "model_info": "litellm/types/router", "guardrails": "litellm/types/guardrails",
                          "guardrails.litellm_params": "litellm/types/guardrails"}.get(section, "litellm/")
                for name, annotation, default, description, line, literals, path in self.class_fields(class_name, prefer):
                    type_, choices = self.type_of(annotation, literals)
                    attrs = {"deprecated": "yes"} if description and re.search(r"\bdeprecated\b", description, re.I) and "instead" in description.lower() else {}
                    put(section, name, type_, default, choices, path, line, **attrs)
        for name, annotation, default, line, literals, path in self.module_variables():
            type_, choices = self.type_of(annotation, literals)
            default = self.plain(default, path)
            put("litellm_settings", name, WRITTEN.get(name) or type_ or literal_type(default), default, choices, path, line)
        for name, annotation, default, line, literals, path in self.router_arguments():
            type_, choices = self.type_of(annotation, literals)
            put("router_settings", name, type_ or literal_type(default), default, choices, path, line)
        for path, f in self.files.items():
            if path == "litellm/caching/caching.py":
                for name, annotation, default, line, literals in f["classes"].get("Cache", {}).get("init") or []:
                    type_, choices = self.type_of(annotation, literals)
                    if not name.startswith("_"):
                        put("cache_params", name, type_ or literal_type(default), self.enum_default(default), choices, path, line)
            if path == "litellm/types/utils.py":
                self.owned_params(f, path, put)
        managed = self.constant("ROUTER_SETTINGS_MANAGED_OUTSIDE_CONFIG") or []
        for name in managed:
            if ("router_settings", name) in rows:
                rows["router_settings", name]["attrs"]["managed"] = "yes"
        for name in ("model_name", "litellm_params", "model_info"):
            put("model_list", name, "str" if name == "model_name" else "dict", path="litellm/types/router.py", line=self.line_of("litellm/types/router.py", "DeploymentTypedDict"))
        for section, keys in reads.items():
            for name, places in sorted(keys.items()):
                default, path, line = min(places, key=lambda p: (p[0] is None, p[1], p[2]))
                if section == "" and name in NOT_TOP or section == "router_settings" and (section, name) not in rows:
                    continue
                put(section, name, literal_type(default), default, (), path, line)
                if section == "general_settings":
                    rows[section, name]["attrs"]["read"] = True
        return rows

    def line_of(self, path, name):
        f = self.files.get(path)
        return f["classes"].get(name, {}).get("line", 1) if f else 1

    def enum_default(self, default):
        if default and re.fullmatch(r"\w+\.\w+(\.value)?", default):
            owner, member = default.split(".")[:2]
            found = self.find_class(owner)
            for name, value in found[1]["enum"] if found else []:
                if name == member:
                    return repr(value)
        return default

    def module_variables(self):
        """Variables of the litellm module that a key of litellm_settings sets, with where they are declared."""
        path = "litellm/__init__.py"
        f = self.files[path]
        out, seen = [], set()
        functions_and_classes = set(f["defined"])
        for name, annotation, default, line, literals in f["variables"]:
            if name.startswith("_") or name in seen or name in functions_and_classes or name.endswith(("_models", "_MODELS")):
                continue
            if default and re.match(r"(Union|Optional|Literal|TypeVar|Callable|Type|Dict|List|set)\b", default) or annotation and "TypeAlias" in annotation:
                continue
            if annotation is None and default and re.match(r"[A-Z]\w*\(", default) or name == "all_litellm_params":
                continue  # an object of the library itself, such as module_level_client = HTTPHandler()
            seen.add(name)
            out.append((name, annotation, default, line, literals, path))
        for level, module, name, bound in f["imports"]:
            if name is None or bound in seen or bound.startswith("_") or not bound.islower() or bound.endswith("_models"):
                continue
            origin = self.modules.get(module if level == 0 else ("litellm." + module if module else "litellm"))
            if origin is None or name == "*":
                continue
            for variable, annotation, default, line, literals in self.files[origin]["variables"]:
                if variable == name and name not in self.files[origin]["defined"]:
                    seen.add(bound)
                    out.append((bound, annotation, default, line, literals, origin))
                    break
        # Attributes read with getattr(litellm, "x", default) exist only when the configuration sets them.
        for other, g in sorted(self.files.items()):
            for name, (default, line) in g["attributes"].items():
                if default is not None and name not in seen and name not in functions_and_classes and not name.startswith("_") and name.islower():
                    seen.add(name)
                    out.append((name, None, default, line, [], other))
        return out

    def router_arguments(self):
        """Parameters of Router.__init__; from 1.109 those of the class or function whose signature it shows."""
        path = "litellm/router.py"
        f = self.files[path]
        signature = f["signatures"].get("_router_init") or f["classes"].get("Router", {}).get("init")
        if not signature and "litellm/router_python_core.py" in self.files:
            path = "litellm/router_python_core.py"
            signature = self.files[path]["classes"].get("PythonCore", {}).get("init")
        if not signature:
            raise SystemExit(f"{path}:1: LiteLLM {self.version}: the arguments of Router were not found")
        listed = None
        if "litellm/router_api.py" in self.files:
            listed = self.files["litellm/router_api.py"]["constants"].get("ROUTER_INIT_ARGS")
        if listed is not None:
            differ = {p[0] for p in signature if not p[0].startswith("_")} ^ set(listed)
            if differ:
                raise SystemExit(f"litellm/router_api.py:1: LiteLLM {self.version}: ROUTER_INIT_ARGS and the signature differ in {sorted(differ)}")
        return [(*p, path) for p in signature if not p[0].startswith("_")]

    def owned_params(self, f, path, put):
        """Names that litellm.completion keeps for itself, which a deployment may therefore set."""
        for variable in f["variables"]:
            if variable[0] != "all_litellm_params" or not variable[2]:
                continue
            for node in ast.walk(ast.parse(variable[2], mode="eval")):
                names = [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []
                if isinstance(node, ast.Name):
                    value = self.constant(node.id)
                    names = value if isinstance(value, list) else [value] if value else []
                for name in names:
                    put("litellm_params", name, path=path, line=variable[3])
        for constant in ("OPENAI_CHAT_COMPLETION_PARAMS", "DEFAULT_CHAT_COMPLETION_PARAM_VALUES", "OPENAI_TRANSCRIPTION_PARAMS", "OPENAI_EMBEDDING_PARAMS"):
            for name in self.files["litellm/constants.py"]["constants"].get(constant) or []:
                put("litellm_params", name, path="litellm/constants.py", line=next(v[3] for v in self.files["litellm/constants.py"]["variables"] if v[0] == constant))
        for class_name in ("StandardCallbackDynamicParams",):
            for name, annotation, default, _, line, literals, origin in self.class_fields(class_name):
                put("litellm_params", name, self.type_of(annotation, literals)[0], default, (), origin, line)
        owned = self.files.get("litellm/types/litellm_params.py")
        if owned:
            pending, seen = ["ConnectionSettings", "LiteLLMOptions"], set()
            while pending:
                data = owned["classes"].get(pending.pop())
                if data is None or data["line"] in seen:
                    continue
                seen.add(data["line"])
                for name, annotation, default, _, line, literals in data["fields"]:
                    inner = re.findall(r"\w+", annotation or "")
                    nested = [w for w in inner if w in owned["classes"]]
                    if nested and owned["classes"][nested[0]]["fields"]:
                        pending += nested
                    else:
                        put("litellm_params", name, self.type_of(annotation, literals)[0], default, (), "litellm/types/litellm_params.py", line)
        main = self.files.get("litellm/main.py", {})
        for name, annotation, default, line, literals in main.get("signatures", {}).get("completion", []):
            put("litellm_params", name, self.type_of(annotation, literals)[0], default, (), "litellm/main.py", line)

    # Accepted values

    def enum_rows(self):
        rows = {}

        def put(section, value, path, line=0):
            if value and not value.startswith("$") and re.fullmatch(r"[\w.\-/ ]+", value):
                rows.setdefault((section, value), {"type": "", "default": None, "choices": "", "source": f"{path}:{line}" if line else path, "attrs": {}})

        def literal(section, name, paths):
            for path in paths:
                f = self.files.get(path)
                if f and name in f["literals"]:
                    line = next((v[3] for v in f["variables"] if v[0] == name), 1)
                    for value in f["literals"][name]:
                        put(section, value, path, line)
                    return True
            return False

        def enum(section, name):
            for path, data in self.by_class.get(name, [])[:1]:
                for _, value in data["enum"]:
                    put(section, value, path, data["line"])

        for name, annotation, default, line, literals, path in self.router_arguments():
            if name == "routing_strategy":
                for value in self.type_of(annotation, literals)[1]:
                    put("routing_strategy", value, path, line)
                put("routing_strategy", (default or "").strip("'\""), path, line)
        enum("routing_strategy", "RoutingStrategy")
        for path in ("litellm/router.py", "litellm/litellm_core_utils/routing_groups.py", "litellm/router_utils/routing_groups.py"):
            literal("routing_strategy", "VALID_ROUTING_STRATEGIES", [path])
        if not literal("optional_pre_call_checks", "OptionalPreCallChecks", ["litellm/types/router.py"]):
            raise SystemExit(f"litellm/types/router.py:1: LiteLLM {self.version}: OptionalPreCallChecks was not found")
        enum("provider", "LlmProviders")
        enum("guardrail", "SupportedGuardrailIntegrations")
        enum("guardrail_mode", "GuardrailEventHooks")
        enum("cache_type", "LiteLLMCacheType")
        enum("cache_mode", "CacheMode")
        for path, f in self.files.items():
            if path.endswith("types/caching.py"):
                literal("cache_call_type", "CachingSupportedCallTypes", [path])
        known = "_custom_logger_compatible_callbacks_literal"
        if not literal("callback", known, ["litellm/__init__.py", "litellm/litellm_core_utils/custom_logger_registry.py"]):
            raise SystemExit(f"litellm/__init__.py:1: LiteLLM {self.version}: {known} was not found")
        for section in ("success_callback", "callback"):
            literal(section, known, ["litellm/__init__.py"])
            for name in self.extra.get("generic_callbacks", []):
                put(section, name, "litellm/integrations/generic_api/generic_api_compatible_callbacks.json")
        for path, f in self.files.items():
            for place, values in f["equalities"].items():
                section = None
                if place == "initialize_callbacks_on_proxy":
                    section = ("callback",)
                elif path.endswith("litellm_core_utils/litellm_logging.py") and place not in {"", "_init_custom_logger_compatible_class"}:
                    section = ("success_callback",)
                elif place == "in:service_callback" or path.endswith("litellm/_service_logger.py"):
                    section = ("service_callback",)
                for value in values if section else ():
                    put(section[0], value, path)
        for name in self.extra.get("providers", []):
            put("provider", name, "litellm/llms/openai_like/providers.json")
        for section in ("mcp_transport:MCPTransport", "mcp_auth_type:MCPAuth", "alert_type:AlertType", "db_object:SupportedDBObjectType"):
            name, class_name = section.split(":")
            enum(name, class_name)
        return rows

    # Environment

    def imported(self):
        """Files that are imported before the proxy reads its configuration."""
        pending = [p for p in ("litellm/proxy/proxy_server.py", "litellm/proxy/proxy_cli.py") if p in self.files]
        seen = set()
        while pending:
            path = pending.pop()
            if path in seen:
                continue
            seen.add(path)
            own = self.module(path)
            package = own if path.endswith("__init__.py") else own.rsplit(".", 1)[0]
            wanted = set()
            for level, module, name, _ in self.files[path]["imports"]:
                base = module
                if level:
                    parts = package.split(".")
                    parts = parts[: len(parts) - (level - 1)]
                    base = ".".join(parts + ([module] if module else []))
                wanted.add(base)
                if name:
                    wanted.add(f"{base}.{name}")
            for name in wanted | {own}:
                parts = name.split(".")
                for i in range(1, len(parts) + 1):
                    found = self.modules.get(".".join(parts[:i]))
                    if found and found not in seen:
                        pending.append(found)
        return seen

    def env_rows(self):
        early = self.imported()
        uses = {}  # name -> [(default, path, line, import, presence)]
        wrappers = {}
        for path, f in self.files.items():
            for function, where in f["wrappers"].items():
                if function:
                    wrappers.setdefault(function, []).append(where)
        # A function that passes its parameter on to a reader of variables is a reader too, as get_env_int("NAME", 4) is.
        forwards = [forward for f in self.files.values() for forward in f["forwards"]]
        grown = True
        while grown:
            grown = False
            for function, index, param, params, callee, position in forwards:
                if function not in wrappers and any(position in (i, p) for i, p, _ in wrappers.get(callee, [])):
                    wrappers[function] = [[index, param, params]]
                    grown = True
        for path, f in self.files.items():
            called = set(f["module_calls"])
            for name, default, line, at_import, presence, function in f["envs"]:
                for resolved in self.resolve(name, path):
                    if litellm_facts.ENV_NAME.fullmatch(resolved):
                        early_read = path in early and (at_import or function in called)
                        uses.setdefault(resolved, []).append((default, path, line, early_read, presence))
            for callee, position, value, default, line, at_import, presence in f["calls"]:
                for index, param, params in wrappers.get(callee, [])[:1]:
                    if position == param or position == index or position == index - 1 and params[:1] in (["self"], ["cls"]):
                        uses.setdefault(value, []).append((default, path, line, at_import and path in early, presence))
        for name, default, path, line in self.pydantic_settings():
            uses.setdefault(name, []).append((default, path, line, False, False))
        rows = {}
        flags = {}
        for option in self.files["litellm/proxy/proxy_cli.py"]["options"]:
            for env in option["env"] or ():
                flags[env] = option["names"][0].partition("/")[0]
                uses.setdefault(env, []).append((option["default"], "litellm/proxy/proxy_cli.py", option["line"], False, False))
        for name, places in uses.items():
            default = next((self.plain(p[0], p[1]) for p in sorted(places, key=lambda p: (not p[3], p[1], p[2])) if p[0] is not None), None)
            first = min(places, key=lambda p: (not p[3], "llms/" in p[1], p[1], p[2]))
            attrs = {"flag": flags[name]} if name in flags else {}
            if all(p[3] for p in places):
                attrs["import"] = True
            if all(p[4] for p in places):
                attrs["presence"] = True
            rows["", name] = {"type": "", "default": default, "choices": "", "source": f"{first[1]}:{first[2]}", "attrs": attrs}
        return rows

    def mentions(self):
        """Names in the form of environment variables that stand in texts of the program. A variable whose read takes a form that is not followed is
        found here, which keeps it from being reported as gone."""
        found = set()
        for f in self.files.values():
            found.update(c[2] for c in f["calls"])
            for value in f["constants"].values():
                found.update(v for v in ([value] if isinstance(value, str) else value) if litellm_facts.ENV_NAME.fullmatch(v))
            for variable in f["variables"]:
                if variable[2]:
                    found.update(re.findall(r"['\"]([A-Z][A-Z0-9_]{2,})['\"]", variable[2]))
        return found

    def pydantic_settings(self):
        """Variables that a settings class of pydantic reads for its fields: their aliases, else prefix and field name."""
        for path, f in self.files.items():
            for data in f["classes"].values():
                if "BaseSettings" not in data["bases"]:
                    continue
                prefix = ""
                config = data["lists"].get("model_config")
                for node in ast.walk(ast.parse(config, mode="eval")) if config else ():
                    if isinstance(node, ast.keyword) and node.arg == "env_prefix":
                        given = litellm_facts.names_in(node.value)
                        prefix = (self.resolve(given[0], path) or [""])[0] if given else ""
                for field, _, default, _, line, _ in data["fields"]:
                    names = data["aliases"].get(field) or [prefix + field.upper()]
                    for name in [n for alias in names for n in self.resolve(alias, path)]:
                        if litellm_facts.ENV_NAME.fullmatch(name):
                            yield name, default, path, line

    def plain(self, default, path):
        """A default as a value when it can be worked out from constants, else as upstream writes it."""
        if default is None:
            return None
        try:
            return repr(evaluate(ast.parse(default, mode="eval").body, self, path))
        except (SyntaxError, ValueError):
            return default if len(default) <= 80 else None

    def constant_rows(self):
        rows = {}
        path = "litellm/constants.py"
        for name, annotation, default, line, _ in self.files[path]["variables"]:
            if not re.fullmatch(r"[A-Z][A-Z0-9_]+", name) or default is None:
                continue
            try:
                tree = ast.parse(default, mode="eval").body
                value = evaluate(tree, self, path)
            except (SyntaxError, ValueError):
                continue
            if isinstance(value, (int, float, bool)) or isinstance(value, str) and len(value) <= 60:
                attrs = {}
                env = env_of(tree)
                if env:
                    attrs["env"] = env
                rows["", name] = {"type": type(value).__name__, "default": repr(value), "choices": "", "source": f"{path}:{line}", "attrs": attrs}
        return rows

    # Command line, metrics, routes

    def flag_rows(self):
        rows = {}
        path = "litellm/proxy/proxy_cli.py"
        for option in self.files[path]["options"]:
            long = [n for n in option["names"] if n.startswith("--")]
            if not long:
                continue
            name, _, negative = long[0].partition("/")
            attrs = {}
            if negative:
                attrs["negation"] = negative
            short = [n for n in option["names"] if not n.startswith("--")]
            if short:
                attrs["short"] = ",".join(short)
            if len(long) > 1:
                attrs["aliases"] = ",".join(long[1:])
            if option["env"]:
                attrs["env"] = ",".join(option["env"])
            if option["multiple"]:
                attrs["repeated"] = "yes"
            default = self.plain(option["default"], path) if option["default"] else None
            type_ = "bool" if option["flag"] or negative else {"int": "int", "float": "float", "str": "str", "bool": "bool"}.get(option["type"] or "", "")
            if option["choices"]:
                type_ = "choice"
            elif (option["type"] or "").startswith("click.IntRange"):
                type_ = "int"
            elif (option["type"] or "").startswith("click.FloatRange"):
                type_ = "float"
            if not type_:
                type_ = literal_type(default) or "str"
            if option["optional"]:
                type_ = "bool|str"
            if (option["help"] or "").lower().startswith(("deprecated", "[deprecated")):
                attrs["deprecated"] = "yes"
            rows["", name] = {"type": type_, "default": default if default is not None else "False" if type_ == "bool" else None,
                              "choices": ",".join(option["choices"]), "source": f"{path}:{option['line']}", "attrs": attrs}
        if len(rows) < 10:
            raise SystemExit(f"{path}:1: LiteLLM {self.version}: only {len(rows)} options found")
        return rows

    def metric_rows(self):
        rows = {}

        def put(kind, name, path, line, **attrs):
            if kind == "counter":
                name = name.removesuffix("_total")
            rows.setdefault(("", name), {"type": kind, "default": None, "choices": "", "source": f"{path}:{line}", "attrs": attrs})

        for path, f in sorted(self.files.items()):
            for kind, name, labels, line in f["metrics"]:
                found = self.labels(labels, path)
                put(kind, name, path, line, **({"labels": ",".join(found)} if found else {}))
        services = self.files.get("litellm/types/services.py")
        if services and "ServiceTypes" in services["classes"]:
            configs = next((v[2] for v in services["variables"] if v[0] == "DEFAULT_SERVICE_CONFIGS"), None)
            wanted = self.service_configs(configs)
            line = services["classes"]["ServiceTypes"]["line"]
            for member, value in services["classes"]["ServiceTypes"]["enum"]:
                for kind in wanted.get(member, ["counter", "histogram"]):
                    labels = {"labels": value, "callback": "prometheus_system"}
                    place = "litellm/types/services.py"
                    if kind == "histogram":
                        put("histogram", f"litellm_{value}_latency", place, line, **labels)
                    elif kind == "counter":
                        put("counter", f"litellm_{value}_failed_requests", place, line, **{**labels, "labels": f"{value},error_class,function_name"})
                        put("counter", f"litellm_{value}_total_requests", place, line, **labels)
                    else:
                        put("gauge", f"litellm_{value}_size", place, line, **labels)
        return rows

    @staticmethod
    def service_configs(source):
        out = {}
        if not source:
            return out
        tree = ast.parse(source, mode="eval").body
        for key, value in zip(getattr(tree, "keys", []), getattr(tree, "values", [])):
            member = key.value if isinstance(key, ast.Attribute) and key.attr == "value" else key
            kinds = [n.attr.lower() for n in ast.walk(value) if isinstance(n, ast.Attribute) and n.attr in {"COUNTER", "HISTOGRAM", "GAUGE"}]
            if isinstance(member, ast.Attribute) and kinds:
                out[member.attr] = kinds
        return out

    def labels(self, source, path):
        """Label names of a metric: a literal list, or what PrometheusMetricLabels declares for it; None when they are made at run time."""
        if not source:
            return None
        tree = ast.parse(source, mode="eval").body
        if isinstance(tree, ast.Call):
            name = next((litellm_facts.string(a) for a in list(tree.args) + [k.value for k in tree.keywords] if litellm_facts.string(a)), None)
            found = self.find_class("PrometheusMetricLabels")
            if not name or not found or name not in found[1]["lists"]:
                return None
            tree = ast.parse(found[1]["lists"][name] or "None", mode="eval").body
            return self.label_list(tree, found[1]["lists"])
        return self.label_list(tree, {})

    def label_list(self, tree, siblings, depth=0):
        if depth > 8:
            return None
        if isinstance(tree, ast.BinOp):
            left, right = self.label_list(tree.left, siblings, depth + 1), self.label_list(tree.right, siblings, depth + 1)
            return None if left is None or right is None else left + right
        if isinstance(tree, ast.Name) and siblings.get(tree.id):
            return self.label_list(ast.parse(siblings[tree.id], mode="eval").body, siblings, depth + 1)
        if isinstance(tree, ast.Name):
            value = self.constant(tree.id)
            return list(value) if isinstance(value, list) else None
        if not isinstance(tree, (ast.List, ast.Tuple)):
            return None
        out = []
        for item in tree.elts:
            if isinstance(item, ast.Starred):
                inner = self.label_list(item.value, siblings, depth + 1)
                if inner is None:
                    return None
                out += inner
                continue
            value = litellm_facts.string(item)
            if value is None and isinstance(item, ast.Attribute):
                member = item.value if item.attr == "value" else item
                if isinstance(member, ast.Attribute):
                    found = self.find_class(litellm_facts.terminal(member.value))
                    value = dict(found[1]["enum"]).get(member.attr) if found else None
            if value is None:
                return None
            out.append(value)
        return out

    def route_rows(self):
        rows = {}
        for path, f in sorted(self.files.items()):
            if "/proxy/" not in path:
                continue
            for method, route, line in f["routes"]:
                if re.match(r"/(health|metrics|cache/ping|active/callbacks|test|settings)\b", route):
                    row = rows.setdefault(("", route), {"type": "", "default": None, "choices": "", "source": f"{path}:{line}", "attrs": {}})
                    methods = set(filter(None, row["attrs"].get("methods", "").split(","))) | {method}
                    row["attrs"]["methods"] = ",".join(sorted(methods))
        rows["", "/metrics"] = {"type": "", "default": None, "choices": "", "source": "litellm/integrations/prometheus.py", "attrs": {"methods": "get", "callback": "prometheus"}}
        return rows


def literal_type(default):
    """The type of a literal default, or nothing."""
    if default is None:
        return ""
    try:
        value = ast.literal_eval(default)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ""
    return {bool: "bool", int: "int", float: "float", str: "str", list: "list", dict: "dict", tuple: "list", set: "list"}.get(type(value), "")


READERS = {"getenv", "get", "get_secret", "get_secret_str", "get_secret_bool"}


def env_of(tree):
    """The environment variable that an expression reads, when it reads one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            value = litellm_facts.string(node.args[0])
            if value and litellm_facts.ENV_NAME.fullmatch(value):
                return value
    return None


def evaluate(node, release, path="litellm/constants.py", depth=0):
    """The value of a default made of literals, constants, arithmetic, conversions and reads of variables that are not set; ValueError otherwise."""
    if depth > 12:
        raise ValueError("too deep")

    def inner(n):
        return evaluate(n, release, path, depth + 1)

    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -inner(node.operand)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not inner(node.operand)
    if isinstance(node, ast.BinOp):
        left, right = inner(node.left), inner(node.right)
        operations = {ast.Add: lambda: left + right, ast.Sub: lambda: left - right, ast.Mult: lambda: left * right, ast.Div: lambda: left / right,
                      ast.FloorDiv: lambda: left // right}
        if isinstance(left, (int, float)) and isinstance(right, (int, float)):
            if type(node.op) in operations and not (isinstance(node.op, (ast.Div, ast.FloorDiv)) and right == 0):
                return operations[type(node.op)]()
            if isinstance(node.op, ast.Pow) and abs(left) <= 1024 and 0 <= right <= 64:
                return left ** right
        raise ValueError("arithmetic")
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        value = None
        for part in node.values:
            value = inner(part)
            if value:
                return value
        return value
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = inner(node.left), inner(node.comparators[0])
        if isinstance(node.ops[0], ast.Eq):
            return left == right
        if isinstance(node.ops[0], ast.NotEq):
            return left != right
        if isinstance(node.ops[0], ast.Is):
            return left is right
        raise ValueError("comparison")
    if isinstance(node, ast.IfExp):
        return inner(node.body) if inner(node.test) else inner(node.orelse)
    if isinstance(node, ast.Name):
        for target in (path, "litellm/constants.py"):
            for name, _, default, _, _ in release.files.get(target, {}).get("variables", []):
                if name == node.id and default is not None:
                    return evaluate(ast.parse(default, mode="eval").body, release, target, depth + 1)
        value = release.constant(node.id)
        if isinstance(value, str):
            return value
        raise ValueError("name")
    if isinstance(node, ast.Call):
        name = litellm_facts.terminal(node.func)
        if name in {"int", "float", "str", "bool"} and len(node.args) == 1 and not node.keywords:
            value = inner(node.args[0])
            if name == "int" and isinstance(value, str):
                return int(value)
            if isinstance(value, (int, float, str, bool)) or name == "bool":
                return {"int": int, "float": float, "str": str, "bool": bool}[name](value)
            raise ValueError("conversion")
        if name in {"lower", "upper", "strip"} and isinstance(node.func, ast.Attribute):
            value = inner(node.func.value)
            if isinstance(value, str):
                return getattr(value, name)()
            raise ValueError("method")
        env = litellm_facts.string(node.args[0]) if node.args else None
        if env and litellm_facts.ENV_NAME.fullmatch(env):
            if len(node.args) > 1:
                return inner(node.args[1])
            keyword = next((k.value for k in node.keywords if k.arg and k.arg.startswith("default")), None)
            if keyword is not None:
                return inner(keyword)
            if not node.keywords:
                return None
        if name in {"max", "min"} and len(node.args) > 1 and not node.keywords:
            return {"max": max, "min": min}[name](inner(a) for a in node.args)
    raise ValueError("expression")


def names(version, files, extra):
    """{kind: [[section, name, row]]} of one release."""
    release = Release(version, files)
    release.extra = extra
    out = {}
    for kind, rows in (
        ("settings", release.setting_rows()), ("flags", release.flag_rows()), ("envs", release.env_rows()), ("metrics", release.metric_rows()),
        ("enums", release.enum_rows()), ("constants", release.constant_rows()), ("routes", release.route_rows()),
    ):
        if not rows:
            raise SystemExit(f"LiteLLM {version}: no {kind} found")
        out[kind] = [[section, name, rows[section, name]] for section, name in sorted(rows)]
    out["mentions"] = "\n".join(sorted(release.mentions()))
    return out
