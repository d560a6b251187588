package knowledge

import "testing"

// TestBoundaries holds the releases that rules and their documentation name: the first with a name and the one just before it, and the last.
func TestBoundaries(t *testing.T) {
	for _, c := range []struct {
		kind          Kind
		section, name string
		since, absent string // "" when the oldest release has it
		until         string // "" when the newest has it
	}{
		{KindEnum, "optional_pre_call_checks", "prompt_caching", "", "", ""},
		{KindEnum, "optional_pre_call_checks", "router_budget_limiting", "", "", ""},
		{KindEnum, "optional_pre_call_checks", "responses_api_deployment_check", "1.67.1", "1.67.0.post1", ""},
		{KindEnum, "optional_pre_call_checks", "forward_client_headers_by_model_group", "1.74.7", "1.74.6", ""},
		{KindEnum, "optional_pre_call_checks", "enforce_model_rate_limits", "1.81.7", "1.81.6", ""},
		{KindEnum, "optional_pre_call_checks", "session_affinity", "1.81.14", "1.81.13", ""},
		{KindEnum, "optional_pre_call_checks", "deployment_affinity", "1.81.14", "1.81.13", ""},
		{KindEnum, "optional_pre_call_checks", "encrypted_content_affinity", "1.82.1", "1.82.0", ""},
		{KindEnum, "routing_strategy", "simple-shuffle", "", "", ""},
		{KindEnum, "routing_strategy", "provider-budget-routing", "", "", ""},
		{KindEnum, "routing_strategy", "lar1", "1.91.0", "1.90.7", ""},
		{KindSetting, "general_settings", "max_in_flight_requests_per_worker", "1.101.0", "1.100.5", ""},
		{KindSetting, "general_settings", "coordination_redis", "1.93.0", "1.92.2", ""},
		{KindSetting, "general_settings", "user_api_key_cache_max_size", "1.102.0", "1.101.6", ""},
		{KindSetting, "general_settings", "enable_drain_endpoint", "1.89.0", "1.88.6", ""},
		{KindSetting, "general_settings", "database_connection_pool_limit", "", "", ""},
		{KindSetting, "general_settings", "proxy_batch_write_at", "", "", ""},
		{KindSetting, "general_settings", "use_redis_transaction_buffer", "1.65.1", "1.65.0", ""},
		{KindSetting, "router_settings", "model_group_affinity_config", "1.82.6", "1.82.5", ""},
		{KindSetting, "router_settings", "deployment_affinity_ttl_seconds", "1.81.14", "1.81.13", ""},
		{KindSetting, "router_settings", "routing_groups", "1.84.0", "1.83.14", ""},
		{KindSetting, "router_settings", "session_affinity_repin_on_failover", "1.109.0", "1.108.14", ""},
		{KindSetting, "router_settings", "num_retries", "", "", ""},
		{KindSetting, "litellm_params", "kubernetes_pod_discovery", "1.109.0", "1.108.14", ""},
		{KindSetting, "litellm_settings", "enable_anthropic_prompt_caching", "1.94.0", "1.93.2", ""},
		{KindSetting, "litellm_settings", "http2", "1.103.0", "1.102.4", ""},
		{KindSetting, "litellm_settings", "request_timeout", "", "", ""},
		{KindSetting, "litellm_settings", "sse_keepalive_ping_interval_seconds", "1.98.0", "1.97.0", ""},
		{KindEnv, "", "TOKEN_COUNTER_MAX_CONCURRENT_COUNTS", "1.102.0", "1.101.6", ""},
		{KindEnv, "", "LITELLM_PGBOUNCER_ENABLED", "1.102.0", "1.101.6", ""},
		{KindEnv, "", "DATABASE_URL_READ_REPLICA", "1.85.0", "1.84.10", ""},
		{KindEnv, "", "DATABASE_HOST_READ_REPLICA", "1.86.0", "1.85.7", ""},
		{KindEnv, "", "SPEND_LOG_QUEUE_MAX_BYTES", "1.98.0", "1.97.0", ""},
		{KindEnv, "", "LITELLM_TPM_TOKEN_RESERVATION_ENABLED", "1.90.0", "1.89.7", ""},
		{KindEnv, "", "DATABASE_DISABLE_PREPARED_STATEMENTS", "1.100.0", "1.99.4", ""},
		{KindEnv, "", "DRAIN_ENDPOINT_TOKEN", "1.89.0", "1.88.6", ""},
		{KindEnv, "", "PROXY_BATCH_WRITE_AT", "1.69.3", "1.69.2", ""},
		{KindFlag, "", "--num_workers", "", "", ""},
		{KindFlag, "", "--limit_concurrency", "1.94.0", "1.93.2", ""},
		{KindFlag, "", "--run_granian", "1.87.0", "1.86.7", ""},
		{KindFlag, "", "--max_requests_before_restart", "1.77.7", "1.77.5", ""},
		{KindFlag, "", "--prometheus_metrics_port", "1.101.0", "1.100.5", ""},
		{KindFlag, "", "--validate_config", "1.104.0", "1.103.11", ""},
		{KindFlag, "", "--use_prisma_migrate", "1.63.14", "1.63.12", "1.75.5.post1"},
		{KindFlag, "", "--azure_postgresql_auth", "1.99.0", "1.98.1", ""},
		{KindMetric, "", "litellm_in_flight_requests", "1.82.0", "1.81.16", ""},
		{KindMetric, "", "litellm_admission_admitted_requests", "1.101.0", "1.100.5", ""},
		{KindMetric, "", "litellm_zero_cost_requests", "1.104.0", "1.103.11", ""},
		{KindMetric, "", "litellm_redis_circuit_breaker_state", "1.101.0", "1.100.5", ""},
		{KindMetric, "", "litellm_remaining_requests", "", "", "1.80.11"},
		{KindMetric, "", "litellm_remaining_requests_metric", "1.80.12", "1.80.11", ""},
		{KindMetric, "", "litellm_total_tokens", "", "", "1.74.15"},
		{KindMetric, "", "litellm_total_tokens_metric", "1.75.0", "1.74.15", ""},
		{KindMetric, "", "litellm_deployment_failure_by_tag_responses", "", "", "1.74.0"},
		{KindRoute, "", "/health/drain", "1.89.0", "1.88.6", ""},
	} {
		e, p := LiteLLM.At(Version{}).Entry(c.kind, c.section, c.name)
		if p == Unknown {
			t.Errorf("%s %s %s is unknown", c.kind, c.section, c.name)
			continue
		}
		if since, absent, until := e.Since().String(), e.AbsentBefore().String(), e.Until().String(); since != c.since || absent != c.absent || until != c.until {
			t.Errorf("%s %s %s: since %q after %q until %q, want since %q after %q until %q", c.kind, c.section, c.name, since, absent, until, c.since, c.absent, c.until)
		}
	}
}

// TestBackports holds names that came to several minor releases at once, so that some later minors lack them at first.
func TestBackports(t *testing.T) {
	for _, c := range []struct{ name, runs string }{
		{"database_disable_prepared_statements", "1.84.8..1.84.10 1.85.6..1.85.7 1.86.6..1.86.7 1.87.3..1.87.5 1.88.2..1.88.6 1.89.1.."},
		{"database_extra_connection_params", "1.84.8..1.84.10 1.85.6..1.85.7 1.86.6.."},
	} {
		e, p := LiteLLM.At(Version{}).Setting("general_settings", c.name)
		if p != Present || e.spans != c.runs {
			t.Errorf("%s is in %q, want %q", c.name, e.spans, c.runs)
		}
	}
}

// TestHowVariablesAreRead holds which switches any text turns on, and which variables are read only while the program is imported.
func TestHowVariablesAreRead(t *testing.T) {
	for _, c := range []struct {
		name, version      string
		presence, atImport bool
	}{
		{"JSON_LOGS", "1.99.4", true, true},
		{"JSON_LOGS", "1.100.0", false, true},
		{"LITELLM_DROP_PARAMS", "1.101.6", true, true},
		{"LITELLM_DROP_PARAMS", "1.102.0", false, false},
		{"LITELLM_MODIFY_PARAMS", "1.110.2", true, true},
		{"TOKEN_COUNTER_MAX_CONCURRENT_COUNTS", "1.102.0", false, true},
		{"DEFAULT_COOLDOWN_TIME_SECONDS", "1.102.0", false, true},
		{"PROXY_BATCH_WRITE_AT", "1.110.2", false, true},
		{"LANGFUSE_HOST", "1.102.0", false, false},
		{"REDIS_HOST", "1.102.0", false, false},
	} {
		v := MustVersion(c.version)
		e, p := LiteLLM.At(v).Env(c.name)
		if p != Present || e.Holds("presence", v) != c.presence || e.Holds("import", v) != c.atImport {
			t.Errorf("%s at %s: %s, presence %v, import %v", c.name, c.version, p, e.Holds("presence", v), e.Holds("import", v))
		}
	}
}
