package knowledge

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

func compile(t *testing.T, r Release) *jsonschema.Schema {
	t.Helper()
	text, err := Schema(r)
	if err != nil {
		t.Fatal(err)
	}
	s, err := jsonschema.CompileString("litellm.json", string(text))
	if err != nil {
		t.Fatalf("schema of %s: %v", r.Version, err)
	}
	return s
}

func TestSchemaOfEveryMinorCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: nothing for the race detector")
	}
	last := map[string]Version{}
	for _, v := range LiteLLM.Releases() {
		last[v.Minor()] = v
	}
	for _, v := range last {
		compile(t, LiteLLM.At(v))
	}
}

func TestSchemaAcceptsAndRefuses(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: nothing for the race detector")
	}
	for _, c := range []struct{ version, config, want string }{
		{"1.102.0", `{}`, ""},
		{"1.102.0", `{"model_list": [{"model_name": "a", "litellm_params": {"model": "openai/a", "anything": 1}}]}`, ""},
		{"1.102.0", `{"model_list": [{"litellm_params": {"model": "openai/a"}}]}`, "/model_list/0"},
		{"1.102.0", `{"general_settings": null, "litellm_settings": {"cache": true, "cache_params": {"type": "redis", "socket_timeout": 5}}}`, ""},
		{"1.102.0", `{"general_settings": {"master_keyy": "x"}}`, "/general_settings"},
		{"1.102.0", `{"router_settings": {"num_retries": "three"}}`, "/router_settings/num_retries"},
		{"1.102.0", `{"router_settings": {"num_retries": "os.environ/RETRIES", "timeout": "30"}}`, ""},
		{"1.102.0", `{"router_settings": {"routing_strategy": "simple_shuffle"}}`, "/router_settings/routing_strategy"},
		{"1.102.0", `{"router_settings": {"optional_pre_call_checks": ["session_affinity"]}}`, ""},
		{"1.80.0", `{"router_settings": {"optional_pre_call_checks": ["session_affinity"]}}`, "/router_settings/optional_pre_call_checks/0"},
		{"1.102.0", `{"litellm_settings": {"callbacks": ["prometheus", "my_module.my_logger"], "success_callback": ["langfuse"]}}`, ""},
		{"1.102.0", `{"litellm_settings": {"callbacks": "prometheus"}}`, "/litellm_settings/callbacks"},
		{"1.102.0", `{"litellm_settings": {"success_callback": "langfuse"}}`, "/litellm_settings/success_callback"},
		{"1.100.5", `{"general_settings": {"max_in_flight_requests_per_worker": 100}}`, "/general_settings"},
		{"1.101.0", `{"general_settings": {"max_in_flight_requests_per_worker": 100}}`, ""},
	} {
		var config any
		if err := json.Unmarshal([]byte(c.config), &config); err != nil {
			t.Fatal(err)
		}
		err := compile(t, LiteLLM.At(MustVersion(c.version))).Validate(config)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s refuses %s: %#v", c.version, c.config, err)
		case c.want != "" && err == nil:
			t.Errorf("%s accepts %s", c.version, c.config)
		case c.want != "" && !strings.Contains(err.(*jsonschema.ValidationError).GoString(), "'"+c.want+"'") && !strings.Contains(err.(*jsonschema.ValidationError).GoString(), c.want):
			t.Errorf("%s refuses %s elsewhere than at %s: %#v", c.version, c.config, c.want, err)
		}
	}
}

func TestSchemaIsOfLiteLLMOnly(t *testing.T) {
	if _, err := Schema(VLLM.At(Version{})); err == nil {
		t.Error("vLLM has a schema of its configuration")
	}
}

func TestPythonLiteral(t *testing.T) {
	for in, want := range map[string]any{
		"None": nil, "True": true, "False": false, "10": json.Number("10"), "0.5": json.Number("0.5"), "-1": json.Number("-1"), "'text'": "text",
	} {
		if got, ok := pythonLiteral(in); !ok || got != want {
			t.Errorf("pythonLiteral(%s) = %v, %v, want %v", in, got, ok, want)
		}
	}
	for _, in := range []string{"", "[]", "f(1)", "'it\\'s'", "nan", "inf", "0x10", "1_000", "5.", ".5"} {
		if got, ok := pythonLiteral(in); ok {
			t.Errorf("pythonLiteral(%s) = %v", in, got)
		}
	}
}
