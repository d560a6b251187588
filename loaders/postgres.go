package loaders

import "agentlint/internal/model"

// cnpgCluster adds a CloudNativePG cluster: services <name>-rw, -ro and -r, Secrets <name>-app and <name>-superuser.
func (w *world) cnpgCluster(o *object) {
	limit := o.v.At("spec", "postgresql", "parameters", "max_connections")
	w.operatorServer(o, "cnpg", limit, []string{o.name() + "-rw", o.name() + "-ro", o.name() + "-r"}, []string{o.name() + "-app", o.name() + "-superuser"})
}

// operatorServer adds a server that an operator runs.
func (w *world) operatorServer(o *object, kind string, limit *model.Value, hosts, secrets []string) {
	w.servers = append(w.servers, &dbServer{scope: o.scope, name: o.name(), namespace: o.namespace(), dir: o.dir, hosts: hosts, secrets: secrets,
		value: newServer(o.name(), kind, limit, nameOrigin(o))})
}

// nameOrigin is the place of an object's name.
func nameOrigin(o *object) model.Origin { return o.v.At("metadata", "name").OriginOr(o.v.Origin) }

// newPooler is a pooler in shape PoolerPart.
func newPooler(o *object, kind string) *model.Value {
	m := model.NewMap(nameOrigin(o))
	m.Set("name", model.NewText(o.name(), nameOrigin(o)))
	m.Set("kind", model.NewText(kind, nameOrigin(o)))
	return m
}

func setNumber(m *model.Value, field string, v *model.Value) {
	if v == nil || v.Kind == model.Null {
		return
	}
	if n, ok := v.AsInt(true); ok && n >= 0 {
		m.Set(field, model.NewInt(n, v.Origin))
	} else {
		m.Set(field, model.NewUnknown(v.Origin))
	}
}

func setInstances(m *model.Value, v *model.Value) {
	m.Set("instances", model.NewInt(1, model.Origin{Source: model.FromDefault}))
	setNumber(m, "instances", v)
}

// cnpgPooler adds a CloudNativePG Pooler, reached by its own name.
func (w *world) cnpgPooler(o *object) {
	m := newPooler(o, "cnpg")
	b := o.v.At("spec", "pgbouncer")
	if v := b.Get("poolMode"); v != nil {
		m.Set("mode", v)
	}
	p := b.Get("parameters")
	setNumber(m, "pool_size", p.Get("default_pool_size"))
	setNumber(m, "max_db_connections", p.Get("max_db_connections"))
	setNumber(m, "max_client_conn", p.Get("max_client_conn"))
	setNumber(m, "max_prepared_statements", p.Get("max_prepared_statements"))
	for _, c := range o.v.At("spec", "template", "spec", "containers").Items() {
		if img := imagePart(c.Get("image")); img != nil && isPgBouncer(img) {
			m.Set("image", img)
		}
	}
	setInstances(m, o.v.At("spec", "instances"))
	server, _ := o.v.At("spec", "cluster", "name").AsText()
	w.poolers = append(w.poolers, &dbPooler{scope: o.scope, name: o.name(), namespace: o.namespace(), dir: o.dir, hosts: []string{o.name()}, server: server, value: m})
}

// zalando adds a cluster of the Zalando operator and its pooler.
func (w *world) zalando(o *object) {
	w.operatorServer(o, "zalando", o.v.At("spec", "postgresql", "parameters", "max_connections"), []string{o.name(), o.name() + "-repl"}, nil)
	c := o.v.At("spec", "connectionPooler")
	if on, _ := o.v.At("spec", "enableConnectionPooler").AsBool(); c == nil && !on {
		return
	}
	m := newPooler(o, "zalando")
	if v := c.Get("mode"); v != nil {
		m.Set("mode", v)
	}
	setNumber(m, "max_db_connections", c.Get("maxDBConnections"))
	setInstances(m, c.Get("numberOfInstances"))
	if c.Get("numberOfInstances") == nil {
		// The operator's default is two (number_of_instances in its configuration).
		m.Set("instances", model.NewInt(2, model.Origin{Source: model.FromDefault}))
	}
	w.poolers = append(w.poolers, &dbPooler{scope: o.scope, name: o.name() + "-pooler", namespace: o.namespace(), dir: o.dir, hosts: []string{o.name() + "-pooler", o.name() + "-pooler-repl"}, server: o.name(), value: m})
}

// crunchy adds a cluster of Crunchy's operator, its Secrets and its PgBouncer.
func (w *world) crunchy(o *object) {
	limit := o.v.At("spec", "patroni", "dynamicConfiguration", "postgresql", "parameters", "max_connections")
	if limit == nil {
		limit = o.v.At("spec", "config", "parameters", "max_connections")
	}
	secrets := []string{o.name() + "-pguser-" + o.name()}
	for _, u := range o.v.At("spec", "users").Items() {
		if n, ok := u.Get("name").AsText(); ok {
			secrets = append(secrets, o.name()+"-pguser-"+n)
		}
	}
	w.operatorServer(o, "crunchy", limit, []string{o.name() + "-primary", o.name() + "-ha", o.name() + "-replicas"}, secrets)
	b := o.v.At("spec", "proxy", "pgBouncer")
	if b == nil {
		return
	}
	m := newPooler(o, "crunchy")
	g := b.At("config", "global")
	if v := g.Get("pool_mode"); v != nil {
		m.Set("mode", v)
	}
	setNumber(m, "pool_size", g.Get("default_pool_size"))
	setNumber(m, "max_db_connections", g.Get("max_db_connections"))
	setNumber(m, "max_client_conn", g.Get("max_client_conn"))
	setNumber(m, "max_prepared_statements", g.Get("max_prepared_statements"))
	setInstances(m, b.Get("replicas"))
	w.poolers = append(w.poolers, &dbPooler{scope: o.scope, name: o.name() + "-pgbouncer", namespace: o.namespace(), dir: o.dir, hosts: []string{o.name() + "-pgbouncer"}, server: o.name(), value: m})
}

// stackgres collects the objects of a StackGres cluster; its configurations are named by the cluster.
func (w *world) stackgres(o *object) {
	w.sg = append(w.sg, o)
}

// stackgresClusters links SGCluster objects with their configurations.
func (w *world) stackgresClusters() {
	find := func(c *object, kind, name string) *object {
		for _, o := range w.sg {
			if o.kind() == kind && o.name() == name && (c.namespace() == "" || o.namespace() == "" || c.namespace() == o.namespace()) {
				return o
			}
		}
		return nil
	}
	for _, c := range w.sg {
		if c.kind() != "SGCluster" {
			continue
		}
		var limit *model.Value
		if n, ok := c.v.At("spec", "configurations", "sgPostgresConfig").AsText(); ok {
			if p := find(c, "SGPostgresConfig", n); p != nil {
				limit = p.v.At("spec", "postgresql.conf", "max_connections")
			}
		}
		if limit == nil {
			// The operator's own default is not PostgreSQL's.
			limit = model.NewUnknown(nameOrigin(c))
		}
		w.operatorServer(c, "stackgres", limit, []string{c.name(), c.name() + "-primary", c.name() + "-replicas"}, []string{c.name()})
		if n, ok := c.v.At("spec", "configurations", "sgPoolingConfig").AsText(); ok {
			if p := find(c, "SGPoolingConfig", n); p != nil {
				m := newPooler(c, "stackgres")
				b := p.v.At("spec", "pgBouncer", "pgbouncer.ini", "pgbouncer")
				if v := b.Get("pool_mode"); v != nil {
					m.Set("mode", v)
				}
				setNumber(m, "pool_size", b.Get("default_pool_size"))
				setNumber(m, "max_db_connections", b.Get("max_db_connections"))
				setNumber(m, "max_client_conn", b.Get("max_client_conn"))
				setNumber(m, "max_prepared_statements", b.Get("max_prepared_statements"))
				setInstances(m, c.v.At("spec", "instances"))
				w.poolers = append(w.poolers, &dbPooler{scope: c.scope, name: c.name(), namespace: c.namespace(), dir: c.dir, server: c.name(), value: m})
			}
		}
	}
}

func isPgBouncer(img *model.Value) bool {
	repository, _ := img.Get("repository").AsText()
	return imageKind(repository) == "pgbouncer"
}
