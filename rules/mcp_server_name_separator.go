package rules

import (
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "mcp-server-name-separator",
		Title:    "An MCP server's name contains the separator of tool names",
		Category: "guardrails",
		Why: `LiteLLM names the tools of an MCP server SERVER-TOOL, and takes the server out of such a name at the first separator, "-" unless MCP_TOOL_PREFIX_SEPARATOR says otherwise. A server whose own name
contains it is refused when the config is loaded: "Server name cannot contain '-'. Use an alternative character instead".`,
		Remedy:   `Write "_" instead, and tell the clients: their tools get another name.`,
		Severity: model.Error, Confidence: model.High, Confidences: []model.Confidence{model.Medium},
		Inputs: []string{"gateway.config", "gateway.env"},
		When:   []string{"gateway.config.mcp_servers"},
		Fix:    model.Unsafe, FixTitle: "rename the server",
		Question: "May the tools of this server get another name for all clients, keys and teams that use them?",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/_experimental/mcp_server/utils.py", Symbol: "Server name cannot contain", Checked: "2026-11-29"},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/_experimental/mcp_server/mcp_server_manager.py", Symbol: "def _validate_config_server_names", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		separator, sure := "-", model.High
		switch p.State("gateway", "env", "MCP_TOOL_PREFIX_SEPARATOR") {
		case model.Present:
			text, ok := p.Text("gateway", "env", "MCP_TOOL_PREFIX_SEPARATOR")
			if !ok || text == "" {
				return
			}
			separator = text
		case model.Unseen:
			// A variable that is named without its value decides. Out of a Secret that is given as a whole it is unlikely to come.
			if p.State("gateway", "env") == model.Unseen || p.Root.At("gateway", "env", "MCP_TOOL_PREFIX_SEPARATOR") != nil {
				p.Unchecked("gateway.env.MCP_TOOL_PREFIX_SEPARATOR")
				return
			}
			sure = model.Medium
		}
		servers := p.Get("gateway", "config", "mcp_servers")
		if servers == nil || servers.Kind != model.Map {
			return
		}
		for _, name := range servers.Keys() {
			if !strings.Contains(name, separator) {
				continue
			}
			at := model.Path{"gateway", "config", "mcp_servers", name}
			r := p.Report(at, "the name %s contains %q, which separates server and tool: LiteLLM refuses the config with \"Server name cannot contain '%s'\"", model.Quote(name), separator, model.Quote(separator)).OnKey().Confidence(sure)
			if to := strings.ReplaceAll(name, separator, "_"); separator != "_" && servers.Get(to) == nil {
				r.Fix(model.Fix{Title: "rename it to " + to, Ops: []model.Op{model.Rename(at, to)}})
			}
		}
	},
})
