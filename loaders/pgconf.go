package loaders

import (
	"path"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// postgresConf finds max_connections in a configuration file mounted into a Postgres container, or in the only
// postgresql.conf of its folder when the command line names one.
func (w *world) postgresConf(p *part) *model.Value {
	for i := range p.wl.mounts {
		m := &p.wl.mounts[i]
		var f *source.File
		switch {
		case m.file != "" && (strings.HasSuffix(m.file, ".conf") || strings.HasSuffix(m.target, ".conf")):
			f, _ = w.ws.Read(m.file)
		case m.configMap != "":
			cm := w.configMapNamed(p.wl, m.configMap, m.secret)
			if cm == nil {
				continue
			}
			for _, k := range sortedKeys(cm.data) {
				if strings.HasSuffix(k, ".conf") && cm.data[k] != nil && (m.key == "" || m.key == k) {
					f = cm.data[k].file
				}
			}
		case m.nested != nil && strings.HasSuffix(m.target, ".conf"):
			f = m.nested
		}
		if f == nil {
			continue
		}
		if v := iniValue(source.ParseINI(f, source.INIPostgres), "", "max_connections"); v != nil {
			w.used[f] = true
			return v
		}
	}
	return nil
}

// pgbouncerINI reads the [pgbouncer] section of a mounted ini file as a map; empty when there is none.
func (w *world) pgbouncerINI(wl *workload) *model.Value {
	out := model.NewMap(model.Origin{})
	for i := range wl.mounts {
		m := &wl.mounts[i]
		var f *source.File
		switch {
		case m.file != "":
			name := m.file
			if path.Ext(name) == "" {
				name = path.Join(name, "pgbouncer.ini")
			}
			f, _ = w.ws.Read(name)
		case m.configMap != "":
			if cm := w.configMapNamed(wl, m.configMap, m.secret); cm != nil && cm.data["pgbouncer.ini"] != nil {
				f = cm.data["pgbouncer.ini"].file
			}
		}
		if f == nil || !strings.Contains(string(f.Bytes), "[pgbouncer]") {
			continue
		}
		ini := source.ParseINI(f, source.INIPgBouncer)
		for _, k := range []string{"pool_mode", "default_pool_size", "max_db_connections", "max_client_conn", "max_prepared_statements"} {
			if v := iniValue(ini, "pgbouncer", k); v != nil {
				out.Set(k, v)
			}
		}
	}
	return out
}

// iniValue is a setting of an INI file with its place; nil when it is not there.
func iniValue(f *source.INIFile, section, key string) *model.Value {
	e := f.Get(section, key)
	if e == nil {
		return nil
	}
	return model.NewText(e.Value, model.Origin{Source: model.FromConfig, File: f.File, Key: e.KeySpan, Span: e.ContentSpan})
}
