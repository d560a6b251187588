package loaders

import (
	"strconv"
	"strings"

	"agentlint/internal/model"
)

// postgresReserved is superuser_reserved_connections, which ordinary roles cannot use (PostgreSQL 9.0 to 18).
const postgresReserved = 3

// postgresDefault is max_connections when a server's own configuration does not say.
const postgresDefault = 100

// newServer is a server in shape ServerPart; limit is max_connections as written, nil for the default.
func newServer(name, kind string, limit *model.Value, o model.Origin) *model.Value {
	m := model.NewMap(o)
	m.Set("name", model.NewText(name, o))
	m.Set("kind", model.NewText(kind, o))
	if limit == nil {
		m.Set("max_connections", model.NewInt(postgresDefault, model.Origin{Source: model.FromDefault, Detail: &model.Detail{Block: m, Note: "default of PostgreSQL"}}))
		m.Set("written", model.NewBool(false, o))
	} else {
		if n, ok := limit.AsInt(true); ok && n > 0 {
			v := model.NewInt(n, limit.Origin)
			v.SetLosers(limit.Losers())
			m.Set("max_connections", v)
		} else {
			m.Set("max_connections", model.NewUnknown(limit.Origin))
		}
		m.Set("written", model.NewBool(true, o))
	}
	m.Set("reserved", model.NewInt(postgresReserved, model.Origin{Source: model.FromDefault, Detail: &model.Detail{Note: "superuser_reserved_connections"}}))
	return m
}

// addServerWorkload adds a container that runs Postgres: max_connections of its -c arguments, of a mounted
// configuration, of its environment.
func (w *world) addServerWorkload(p *part) {
	wl := p.wl
	kind := "kubernetes"
	if wl.platform == "compose" || wl.platform == "docker" {
		kind = "compose"
	}
	var limit *model.Value
	if e := wl.env.Get("POSTGRESQL_MAX_CONNECTIONS"); e != nil {
		limit = e
	}
	if v := w.postgresConf(p); v != nil {
		limit = v
	}
	if v := postgresArgument(p); v != nil {
		limit = v
	}
	m := newServer(p.name, kind, limit, wl.origin)
	if img := imagePart(wl.image); img != nil {
		m.Set("image", img)
	}
	hosts := append([]string{}, wl.hostnames...)
	w.servers = append(w.servers, &dbServer{scope: wl.scope, name: p.name, namespace: wl.namespace, dir: wl.dir, hosts: hosts, value: m, wl: wl})
}

// postgresArgument finds max_connections in "-c max_connections=300", "-cmax_connections=300", "--max_connections=300" and
// "-N 300".
func postgresArgument(p *part) *model.Value {
	words := p.prog.line.Words
	var out *model.Value
	for i := 0; i < len(words); i++ {
		t := words[i].Text
		j := i
		switch {
		case (t == "-c" || t == "-N" || t == "--max-connections" || t == "--max_connections") && i+1 < len(words):
			j = i + 1
			if t == "-N" || strings.HasPrefix(t, "--") {
				out = argumentText(p.prog.line, i, j, words[j].Text, 0)
				continue
			}
			t = words[j].Text
		case strings.HasPrefix(t, "-c"):
			t = t[2:]
		case strings.HasPrefix(t, "--"):
			t = t[2:]
		default:
			continue
		}
		if name, val, ok := strings.Cut(t, "="); ok && strings.ReplaceAll(strings.TrimSpace(name), "-", "_") == "max_connections" {
			out = argumentText(p.prog.line, i, j, strings.TrimSpace(val), len(words[j].Text)-len(val))
		}
	}
	return out
}

// addPoolerWorkload adds a container that runs PgBouncer, configured by its environment or a mounted ini file.
func (w *world) addPoolerWorkload(p *part) {
	wl := p.wl
	m := model.NewMap(wl.origin)
	m.Set("name", model.NewText(p.name, wl.origin))
	m.Set("kind", model.NewText("pgbouncer", wl.origin))
	ini := w.pgbouncerINI(wl)
	setting := func(field string, number bool, names ...string) {
		for _, n := range names {
			v := wl.env.Get(n)
			if v == nil {
				v = ini.Get(strings.ToLower(strings.TrimPrefix(n, "PGBOUNCER_")))
			}
			if v == nil {
				continue
			}
			if number {
				if i, ok := v.AsInt(true); ok {
					m.Set(field, model.NewInt(i, v.Origin))
				} else {
					m.Set(field, model.NewUnknown(v.Origin))
				}
			} else {
				m.Set(field, v)
			}
			return
		}
	}
	setting("mode", false, "PGBOUNCER_POOL_MODE", "POOL_MODE")
	setting("pool_size", true, "PGBOUNCER_DEFAULT_POOL_SIZE", "DEFAULT_POOL_SIZE")
	setting("max_db_connections", true, "PGBOUNCER_MAX_DB_CONNECTIONS", "MAX_DB_CONNECTIONS")
	setting("max_client_conn", true, "PGBOUNCER_MAX_CLIENT_CONN", "MAX_CLIENT_CONN")
	setting("max_prepared_statements", true, "PGBOUNCER_MAX_PREPARED_STATEMENTS", "MAX_PREPARED_STATEMENTS")
	if img := imagePart(wl.image); img != nil {
		m.Set("image", img)
	}
	instances := model.NewInt(1, model.Origin{Source: model.FromDefault})
	if wl.replicas != nil {
		if n, ok := wl.replicas.AsInt(true); ok {
			instances = model.NewInt(n, wl.replicas.Origin)
		}
	}
	m.Set("instances", instances)
	server := ""
	if s, ok := firstKnownText(wl.env, "PGBOUNCER_DATABASE_HOST", "POSTGRESQL_HOST", "DB_HOST"); ok {
		server = s
	} else if s, ok := firstKnownText(wl.env, "DATABASE_URL", "DATABASE_URLS"); ok {
		u := urlPart("", model.NewText(s, wl.origin))
		server, _ = u.Get("host").AsText()
	}
	w.poolers = append(w.poolers, &dbPooler{scope: wl.scope, name: p.name, namespace: wl.namespace, dir: wl.dir, hosts: wl.hostnames, server: server, value: m, wl: wl})
}

func firstKnownText(env *model.Value, names ...string) (string, bool) {
	for _, n := range names {
		if s, ok := env.Get(n).AsText(); ok {
			return s, true
		}
	}
	return "", false
}

// database adds the gateway's Postgres: its URLs and the server and pooler they lead to.
func (b *builder) database(gw *model.Value, wl *workload) {
	env := gw.Get("env")
	urls := model.NewList(model.Origin{})
	add := func(name string, v *model.Value) {
		if v != nil && v.Kind != model.Null {
			urls.Append(urlPart(name, v))
		}
	}
	main := gw.At("settings", "database_url", "value")
	if main != nil {
		add("DATABASE_URL", main)
	} else if h := env.Get("DATABASE_HOST"); h != nil && env.Get("DATABASE_NAME") != nil {
		m := urlPart("DATABASE_URL", h)
		if s, ok := h.AsText(); ok {
			host, port, _ := strings.Cut(s, ":")
			m.Set("scheme", model.NewText("postgresql", h.Origin))
			m.Set("host", model.NewText(strings.ToLower(host), h.Origin))
			if p, ok := env.Get("DATABASE_PORT").AsText(); ok {
				port = p
			}
			if port != "" {
				m.Set("port", model.NewText(port, h.Origin))
			}
			m.Set("params", model.NewMap(h.Origin))
		}
		urls.Append(m)
	}
	for _, n := range databaseURLs[1:] {
		add(n, env.Get(n))
	}
	if h := env.Get("DATABASE_HOST_READ_REPLICA"); h != nil && env.Get("DATABASE_URL_READ_REPLICA") == nil {
		m := urlPart("DATABASE_URL_READ_REPLICA", h)
		if s, ok := h.AsText(); ok {
			m.Set("scheme", model.NewText("postgresql", h.Origin))
			m.Set("host", model.NewText(s, h.Origin))
			m.Set("params", model.NewMap(h.Origin))
		}
		urls.Append(m)
	}
	if urls.Len() == 0 && (wl == nil || !env.Open) {
		return
	}
	sc := b.scope
	db := model.NewMap(model.Origin{})
	db.Set("urls", urls)
	b.addOrigins(urls)
	linked := false
	for i, u := range urls.Items() {
		host, ok := u.Get("host").AsText()
		if !ok {
			u.Set("target", model.NewUnknown(u.Origin))
			continue
		}
		kind := "external"
		if s := b.server(sc, host); s != nil {
			kind = "server"
			if i == 0 {
				db.Set("server", s.value)
				linked = true
			}
		} else if p := b.pooler(sc, host); p != nil {
			kind = "pooler"
			if i == 0 {
				db.Set("pooler", p.value)
				if s := b.serverNamed(sc, p.server); s != nil {
					db.Set("server", s.value)
				}
				linked = true
			}
		} else if _, _, inside := clusterName(host); inside && !isLoopback(host) {
			kind = "unknown"
		}
		u.Set("target", model.NewText(kind, u.Origin))
	}
	known := urls.Len() > 0 && urls.Items()[0].Get("host").Known()
	if !linked && !known {
		b.linkBySecret(sc, wl, db)
	}
	if urls.Len() == 0 && db.Get("server") == nil {
		return
	}
	if s := db.Get("server"); s != nil {
		b.addOrigins(s)
	}
	if p := db.Get("pooler"); p != nil {
		b.addOrigins(p)
	}
	b.podPooler(gw, db)
	b.root.Set("database", db)
}

// podPooler adds LiteLLM's own PgBouncer in the gateway's pod, which replaces the connections of the workers
// (litellm 1.102.0, proxy_cli.py).
func (b *builder) podPooler(gw, db *model.Value) {
	on := gw.At("env", "LITELLM_PGBOUNCER_ENABLED")
	s, ok := on.AsText()
	if !ok {
		return
	}
	if enabled, err := strconv.ParseBool(strings.ToLower(s)); err != nil || !enabled {
		return
	}
	m := model.NewMap(on.Origin)
	m.Set("name", model.NewText("gateway pod", on.Origin))
	m.Set("kind", model.NewText("pod", on.Origin))
	number := func(field, name string, def int64) {
		v := gw.At("env", name)
		n, ok := v.AsInt(true)
		switch {
		case v == nil:
			m.Set(field, model.NewInt(def, model.Origin{Source: model.FromDefault, Detail: &model.Detail{Block: on, Note: "default of LiteLLM"}}))
		case ok:
			m.Set(field, model.NewInt(n, v.Origin))
		default:
			m.Set(field, model.NewUnknown(v.Origin))
		}
	}
	number("max_db_connections", "LITELLM_PGBOUNCER_MAX_DB_CONNECTIONS", 20)
	number("max_client_conn", "LITELLM_PGBOUNCER_MAX_CLIENT_CONN", 1000)
	m.Set("instances", model.NewInt(1, model.Origin{Source: model.FromDefault}))
	db.Set("pooler", m)
}

// server returns the server that a host leads to.
func (b *builder) server(sc *scope, host string) *dbServer {
	var found []*dbServer
	name, namespace, inside := clusterName(host)
	svc := (*service)(nil)
	if inside {
		svc = b.w.serviceNamed(sc, b.dir, name, namespace)
	}
	for _, s := range b.w.servers {
		if sc == nil || !sc.reaches(s.scope) {
			continue
		}
		match := false
		for _, h := range s.hosts {
			match = match || h == host || inside && h == name && (namespace == "" || s.namespace == "" || s.namespace == namespace)
		}
		if !match && svc != nil && s.wl != nil && len(svc.selector) > 0 && matchLabels(svc.selector, s.wl.labels) {
			match = true
		}
		if match {
			found = append(found, s)
		}
	}
	best, ok := nearest(found, b.dir, func(s *dbServer) string { return s.dir })
	if !ok {
		return nil
	}
	return best
}

// serverNamed returns a server by its own name or host.
func (b *builder) serverNamed(sc *scope, name string) *dbServer {
	if name == "" {
		return nil
	}
	if s := b.server(sc, name); s != nil {
		return s
	}
	for _, s := range b.w.servers {
		if s.name == name && sc.reaches(s.scope) {
			return s
		}
	}
	return nil
}

// pooler returns the pooler that a host leads to.
func (b *builder) pooler(sc *scope, host string) *dbPooler {
	name, namespace, inside := clusterName(host)
	svc := (*service)(nil)
	if inside {
		svc = b.w.serviceNamed(sc, b.dir, name, namespace)
	}
	for _, p := range b.w.poolers {
		if sc == nil || !sc.reaches(p.scope) {
			continue
		}
		for _, h := range p.hosts {
			if h == host || inside && h == name && (namespace == "" || p.namespace == "" || p.namespace == namespace) {
				return p
			}
		}
		if svc != nil && p.wl != nil && len(svc.selector) > 0 && matchLabels(svc.selector, p.wl.labels) {
			return p
		}
	}
	return nil
}

// linkBySecret finds the server when the URL itself is not visible: by the Secret its operator makes, else the
// only server within reach.
func (b *builder) linkBySecret(sc *scope, wl *workload, db *model.Value) {
	if sc == nil || wl == nil {
		return
	}
	var reach []*dbServer
	for _, s := range b.w.servers {
		if !sc.reaches(s.scope) {
			continue
		}
		reach = append(reach, s)
		for _, secret := range s.secrets {
			for _, used := range wl.secrets {
				if used == secret {
					db.Set("server", s.value)
					return
				}
			}
		}
	}
	if len(reach) == 1 && len(b.w.poolers) == 0 {
		db.Set("server", reach[0].value)
	}
}
