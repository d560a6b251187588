package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "api-base-port-mismatch",
		Title:    "An address names a port on which the engine does not listen",
		Category: "models",
		Why: `Inside a cluster an address is that of a Service, whose port is often another than the container's; inside a compose
network it is the container's own port, whatever is published on the host. At any other port the connection is refused
and the deployment cools down at its first request.`,
		Remedy:   "Write the Service's port in a cluster and the engine's --port (8000 when nothing is written) inside a compose network.",
		Severity: model.Error, Confidence: model.High,
		Inputs:   []string{"engines", "services", "gateway.config"},
		When:     []string{"gateway.config.model_list"},
		Fix:      model.Safe,
		FixTitle: "use the port on which it listens",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/entrypoints/launchers/cli_args.py", Symbol: "port: int = 8000", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for a := range p.addresses(func(string) bool { return true }) {
			d := p.deployment(a.Index)
			target := d.Get("target")
			if kind, _ := target.Get("kind").AsText(); kind != "engine" || !d.Get("provider").Known() {
				continue
			}
			name, _ := target.Get("name").AsText()
			e, ok := engineNamed(p, name)
			if !ok {
				continue
			}
			port := a.URL.Port()
			if port == "" {
				port = map[string]string{"http": "80", "https": "443"}[a.URL.Scheme]
			}
			service, _ := target.Get("service").AsText()
			p.portMismatch(a, e, service, port)
		}
	},
})

// portMismatch holds the port of an address against the Service on the way, or the engine itself where there is none.
func (p *Pass) portMismatch(a address, e Part, what, port string) {
	listens, at, ok := listeningPort(e)
	if !ok || port == "" {
		return
	}
	service, found := p.serviceNamed(what)
	open := []string{listens}
	related, note := at, "the port on which it listens"
	platform, _ := e.Text("pod", "platform")
	switch {
	case found && !service.IsTrue("headless"):
		ports, known := servicePorts(service)
		if !known {
			return
		}
		open, related, note = ports, service.At("ports"), "the ports of the Service"
	case found, platform == "compose" && strings.EqualFold(a.URL.Hostname(), what):
	case platform == "shell" || platform == "systemd":
	default:
		return
	}
	if slices.Contains(open, port) {
		return
	}
	r := p.Report(a.Path(), "the address names port %s and %s listens on %s: the connection is refused", port, listener(found && !service.IsTrue("headless"), what), strings.Join(open, ", ")).Related(related, "%s", note)
	if len(open) != 1 {
		return
	}
	scheme, rest, _ := strings.Cut(a.Text, "://")
	authority, path, slash := strings.Cut(rest, "/")
	host := strings.TrimSuffix(authority, ":"+a.URL.Port())
	if slash {
		path = "/" + path
	}
	r.Fix(model.Fix{Ops: []model.Op{model.Set(a.Path(), fmt.Sprintf("%s://%s:%s%s", scheme, host, open[0], path))}})
}

// listeningPort returns the port on which an engine listens, with the place that says so; ok is false when the files do not show it.
func listeningPort(e Part) (port string, at model.Path, ok bool) {
	switch e.State("args", "port") {
	case model.Unseen:
		return "", nil, false
	case model.Present:
		list := e.Get("args", "port")
		if list.Len() == 0 {
			return "", nil, false
		}
		port, ok = list.Items()[list.Len()-1].AsText()
		_, err := strconv.Atoi(port)
		return port, e.At("args", "port"), ok && err == nil
	}
	if e.State("args", "config") != model.Absent || e.State("args", "uds") != model.Absent {
		return "", nil, false
	}
	switch runtime, _ := e.Text("runtime"); runtime {
	case "vllm":
		return "8000", e.At("name"), true
	case "sglang":
		return "30000", e.At("name"), true
	}
	return "", nil, false
}

// serviceNamed returns the only Service of a name.
func (p *Pass) serviceNamed(name string) (found Part, ok bool) {
	for s := range p.Parts("services") {
		if n, _ := s.Text("name"); n != name {
			continue
		}
		if ok {
			return Part{}, false
		}
		found, ok = s, true
	}
	return found, ok
}

// servicePorts returns the ports of a Service, as texts.
func servicePorts(s Part) (ports []string, known bool) {
	list := s.Get("ports")
	if list == nil || list.Open || list.Len() == 0 {
		return nil, false
	}
	for _, item := range list.Items() {
		port, ok := item.Get("port").Scalar()
		if _, err := strconv.Atoi(port); !ok || err != nil {
			return nil, false
		}
		ports = append(ports, port)
	}
	return ports, true
}

// listener names what listens: a Service, or the engine's own host.
func listener(service bool, name string) string {
	if service {
		return "the Service " + model.Quote(name)
	}
	return model.Quote(name)
}
