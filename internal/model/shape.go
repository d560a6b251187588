package model

// The types of this file are the shape of a stack as `agentlint model` prints it and as policies see it as
// input. Stacks themselves are trees of [Value]; these types are where the published JSON Schema comes from, and
// a test holds every tree that a case produces against it. An optional part is left out when the stack has
// none; lists are always there.

// Shape is the root.
type Shape struct {
	Stack   ShapeStack   `json:"stack"`
	Gateway *GatewayPart `json:"gateway,omitempty"`
	// Groups are the model groups of the gateway: all model_list entries of one model_name.
	Groups      []GroupPart      `json:"groups"`
	Engines     []EnginePart     `json:"engines"`
	Routers     []RouterPart     `json:"routers"`
	Autoscalers []AutoscalerPart `json:"autoscalers"`
	Probes      []ProbePart      `json:"probes"`
	Services    []ServicePart    `json:"services"`
	Ingress     []IngressPart    `json:"ingress"`
	Scrapes     []ScrapePart     `json:"scrapes"`
	Queries     []QueryPart      `json:"queries"`
	Database    *DatabasePart    `json:"database,omitempty"`
	Redis       *RedisPart       `json:"redis,omitempty"`
	Compose     *ComposePart     `json:"compose,omitempty"`
	// Prompts are the chat templates of engines and the prompt templates of the gateway that the files show.
	Prompts []PromptPart `json:"prompts"`
	// Requirements are Python packages pinned beside the deployment.
	Requirements []RequirementPart `json:"requirements"`
	Files        []FilePart        `json:"files"`
	// Facts are those of the configuration and of --assume, by name.
	Facts     map[string]any `json:"facts"`
	Revisions *RevisionsPart `json:"revisions,omitempty"`
	// Unknown lists the paths of values that are set, or may be set, out of the files' sight.
	Unknown [][]any `json:"unknown"`
	// Enabled are the ids of the policies that a run evaluates for the stack, Parameters the effective parameters of
	// rules by id and name. Only policies see them.
	Enabled    []string                      `json:"enabled,omitempty"`
	Parameters map[string]map[string]float64 `json:"parameters,omitempty"`
	// Today is the date of the run, as YYYY-MM-DD. Only users' policies see it.
	Today string `json:"today,omitempty"`
}

// ShapeStack names the stack.
type ShapeStack struct {
	Name string `json:"name"`
	// Kind is config, compose, kubernetes, helm, flux, argo, helmfile, shell or systemd.
	Kind  string   `json:"kind"`
	Files []string `json:"files"`
}

// ImagePart is a container image.
type ImagePart struct {
	Repository string `json:"repository"`
	Tag        string `json:"tag,omitempty"`
	Digest     string `json:"digest,omitempty"`
	// Version is the product's version that the tag names; left out for floating tags and bare digests.
	Version  string `json:"version,omitempty"`
	Floating bool   `json:"floating"`
}

// SettingPart is an effective value with the kind of its source: config, env, args, chart, default or fact. An
// unknown value has no source.
type SettingPart struct {
	Value  any    `json:"value"`
	Source string `json:"source,omitempty"`
}

// ReplicasPart is how many instances run.
type ReplicasPart struct {
	Min int `json:"min"`
	Max int `json:"max"`
	// Owner is deployment, autoscaler, compose, fact or default (nobody wrote a number); left out when nothing that is
	// seen starts the process.
	Owner string `json:"owner,omitempty"`
	// Written is the number that the object itself sets while an autoscaler owns it.
	Written *int `json:"written,omitempty"`
}

// RolloutPart is the update strategy of a workload, as written; left-out values are Kubernetes' defaults.
type RolloutPart struct {
	// Kind is RollingUpdate, Recreate or OnDelete.
	Kind           string `json:"kind"`
	MaxSurge       any    `json:"max_surge,omitempty"`
	MaxUnavailable any    `json:"max_unavailable,omitempty"`
}

// GatewayPart is the LiteLLM proxy.
type GatewayPart struct {
	Name string `json:"name"`
	// Version is what the rules assume: of the image, chart or pin, else --target, else the newest known.
	// VersionSource is image, chart, requirements, target or newest.
	Version       string     `json:"version"`
	VersionSource string     `json:"version_source"`
	Image         *ImagePart `json:"image,omitempty"`
	// Config is the LiteLLM config after include, sections and keys as written, scalars as PyYAML reads them.
	Config map[string]any `json:"config,omitempty"`
	// Fragment is true for a config that holds nothing but models and that no visible process starts.
	Fragment bool                   `json:"fragment"`
	Settings map[string]SettingPart `json:"settings"`
	// Env and Args are the process environment and arguments: flags without dashes, "-" for "_".
	Env  map[string]string   `json:"env"`
	Args map[string][]string `json:"args"`
	// BrokenLine is where the command of a shell script ends although the next line begins with a flag.
	BrokenLine *BrokenLinePart `json:"broken_line,omitempty"`
	// References are the variables that stand in Config as os.environ/NAME, where LiteLLM replaces them.
	References []ReferencePart `json:"references"`
	// Fallbacks are the names in Env whose value is a default that the files write for a variable of the machine:
	// ${NAME:-value}.
	Fallbacks []string       `json:"fallbacks"`
	Replicas  *ReplicasPart  `json:"replicas,omitempty"`
	Workers   int            `json:"workers"`
	Rollout   *RolloutPart   `json:"rollout,omitempty"`
	Pod       *PodPart       `json:"pod,omitempty"`
	Resources *ResourcesPart `json:"resources,omitempty"`
	Helm      *HelmPart      `json:"helm,omitempty"`
	// Siblings are other deployments of the same release that use the database: the componentized chart's
	// backend, migration jobs.
	Siblings []SiblingPart `json:"siblings"`
}

// ReferencePart is a value of the config that a variable stands for.
type ReferencePart struct {
	Name string `json:"name"`
	// At is the path of the value from the root of the input.
	At []any `json:"at"`
}

// SiblingPart is a further database client of a gateway's release.
type SiblingPart struct {
	Name string `json:"name"`
	// Role is backend, worker or migration.
	Role     string        `json:"role"`
	Replicas *ReplicasPart `json:"replicas,omitempty"`
	Workers  int           `json:"workers"`
}

// PodPart is what surrounds a container.
type PodPart struct {
	// Platform is kubernetes, compose, docker, systemd or shell.
	Platform string `json:"platform"`
	// Kind is the kind of the Kubernetes object that holds the pod (Deployment, StatefulSet, InferenceService, ...), or chart.
	Kind string `json:"kind,omitempty"`
	// Values is the chart whose values hold the pod nearly as it will be, app-template; volumes are written elsewhere there.
	Values string `json:"values,omitempty"`
	// Namespace is that of the pod, as written.
	Namespace string `json:"namespace,omitempty"`
	// Claims are the PersistentVolumeClaims of the pod's volumes that the files show. Those that a StatefulSet makes for
	// each of its pods are not among them.
	Claims []ClaimPart `json:"claims,omitempty"`
	// NetworkPolicies are the names of the NetworkPolicies that select the pod for what comes in, or may select it.
	NetworkPolicies []string `json:"network_policies,omitempty"`
	// GracePeriodSeconds is the written termination grace period (compose: stop_grace_period).
	GracePeriodSeconds *float64          `json:"grace_period_seconds,omitempty"`
	PreStop            map[string]any    `json:"pre_stop,omitempty"`
	Volumes            []map[string]any  `json:"volumes"`
	Mounts             []map[string]any  `json:"mounts"`
	ServiceAccount     string            `json:"service_account,omitempty"`
	Labels             map[string]string `json:"labels"`
	Ports              []map[string]any  `json:"ports"`
	// Spec holds the pod's and the container's remaining fields as written, under pod and container.
	Spec map[string]any `json:"spec"`
}

// ClaimPart is a PersistentVolumeClaim that a pod mounts.
type ClaimPart struct {
	Name string `json:"name"`
	// Volume is the name of the pod's volume.
	Volume       string   `json:"volume"`
	AccessModes  []string `json:"access_modes"`
	StorageClass string   `json:"storage_class,omitempty"`
}

// ResourcesPart is requests and limits in CPUs and bytes.
type ResourcesPart struct {
	Requests *ResourcePart `json:"requests,omitempty"`
	Limits   *ResourcePart `json:"limits,omitempty"`
}

// ResourcePart is an amount of each resource.
type ResourcePart struct {
	CPU    *float64 `json:"cpu,omitempty"`
	Memory *float64 `json:"memory,omitempty"` // bytes
	GPU    *float64 `json:"gpu,omitempty"`
}

// HelmPart is the chart a part comes from, with its effective values.
type HelmPart struct {
	// Chart is litellm-helm (classic), litellm (componentized) or vllm-stack.
	Chart        string `json:"chart"`
	ChartVersion string `json:"chart_version,omitempty"`
	// Values are as written. For an engine of vllm-stack servingEngineSpec.modelSpec holds its own entry only.
	Values map[string]any `json:"values"`
}

// GroupPart is one model group.
type GroupPart struct {
	Name string `json:"name"`
	// SelfHosted is true when every deployment has an api_base that is no hosted API's.
	SelfHosted  bool             `json:"self_hosted"`
	Deployments []DeploymentPart `json:"deployments"`
}

// DeploymentPart is one model_list entry, LiteLLM's own word.
type DeploymentPart struct {
	// Index is the entry's place in gateway.config.model_list.
	Index    int    `json:"index"`
	Provider string `json:"provider"`
	// Model is litellm_params.model without the provider.
	Model   string     `json:"model"`
	APIBase string     `json:"api_base,omitempty"`
	Target  TargetPart `json:"target"`
}

// TargetPart is what something points at.
type TargetPart struct {
	// Kind is gateway, engine, router, service (a Service whose workload is unknown), external or unknown.
	Kind string `json:"kind"`
	// Name is the name of the engine, router or service; Service the Service or compose name on the way.
	Name    string `json:"name,omitempty"`
	Service string `json:"service,omitempty"`
}

// EnginePart is one vLLM or SGLang server.
type EnginePart struct {
	Name string `json:"name"`
	// Runtime is vllm, sglang, dynamo or ray.
	Runtime       string     `json:"runtime"`
	Version       string     `json:"version"`
	VersionSource string     `json:"version_source"`
	Image         *ImagePart `json:"image,omitempty"`
	// Command is how the server is started: serve, api_server, chart or image.
	Command string              `json:"command"`
	Args    map[string][]string `json:"args"`
	// Flags are all flags in the order written, with repetitions: name as in Args, the word as written,
	// its values.
	Flags []FlagPart `json:"flags"`
	// Strays are words of the command line that belong to no flag and are not the model.
	Strays []string `json:"strays"`
	// BrokenLine is where the command of a shell script ends although the next line begins with a flag.
	BrokenLine *BrokenLinePart `json:"broken_line,omitempty"`
	// Config is the file of --config, keys as written; the command line wins over it.
	Config map[string]any    `json:"config,omitempty"`
	Env    map[string]string `json:"env"`
	Model  string            `json:"model,omitempty"`
	// Attention is standard, latent, window or hybrid, for models whose shape is known.
	Attention string   `json:"attention,omitempty"`
	Served    []string `json:"served_names"`
	// ModelConfig is the model's config.json, for a model whose folder or configuration is among the files.
	ModelConfig map[string]any `json:"model_config,omitempty"`
	// WeightsGiB is the least memory of the model's weights in the precision of its repository, for models whose shape is known.
	WeightsGiB *float64 `json:"weights_gib,omitempty"`
	// Context is the longest sequence in tokens: of --max-model-len (source args), the model's own where nothing is
	// written (model), or a fact. It is left out when the engine chooses (auto) and for models that are not known.
	Context *SettingPart `json:"context,omitempty"`
	// KVEvents, KVTransfer and Speculative are the JSON arguments --kv-events-config, --kv-transfer-config and
	// --speculative-config with their dotted forms, as written.
	KVEvents    map[string]any `json:"kv_events,omitempty"`
	KVTransfer  map[string]any `json:"kv_transfer,omitempty"`
	Speculative map[string]any `json:"speculative,omitempty"`
	// LMCache is the configuration of LMCache, from its file and its variables without their prefix.
	LMCache map[string]any `json:"lmcache,omitempty"`
	// Backend is the engine inside a Dynamo worker: vllm, sglang or trtllm.
	Backend string `json:"backend,omitempty"`
	// Role is serve, pooling, prefill or decode.
	Role      string         `json:"role"`
	Replicas  *ReplicasPart  `json:"replicas,omitempty"`
	GPU       *GPUPart       `json:"gpu,omitempty"`
	Rollout   *RolloutPart   `json:"rollout,omitempty"`
	Pod       *PodPart       `json:"pod,omitempty"`
	Resources *ResourcesPart `json:"resources,omitempty"`
	Helm      *HelmPart      `json:"helm,omitempty"`
}

// BrokenLinePart is the end of a shell command that was meant to go on.
type BrokenLinePart struct {
	// Flag is the flag at the beginning of the next line. Gap is the text between the last word of the command and that line
	// that ends the command, and Repair what continues it in its place; left out when a comment stands there.
	Flag   string  `json:"flag"`
	Gap    string  `json:"gap"`
	Repair *string `json:"repair,omitempty"`
}

// FlagPart is one occurrence of a flag.
type FlagPart struct {
	Name string `json:"name"`
	// Word is the flag as written, without "=value".
	Word   string   `json:"word"`
	Values []string `json:"values"`
	// Inline is true for --flag=value.
	Inline bool `json:"inline"`
	// Stray is the word true, false or the like behind a flag that takes no value.
	Stray string `json:"stray,omitempty"`
}

// GPUPart is the accelerator of one instance.
type GPUPart struct {
	Name  string   `json:"name,omitempty"`
	GiB   *float64 `json:"gib,omitempty"`
	Count int      `json:"count"`
}

// RouterPart is a prefix- or KV-aware router between gateway and engines.
type RouterPart struct {
	Name string `json:"name"`
	// Kind is production-stack, llm-d, gaie (the picker of the Gateway API inference extension, from which llm-d's came),
	// dynamo, sglang (also its copies), aibrix or ray.
	Kind          string     `json:"kind"`
	Version       string     `json:"version"`
	VersionSource string     `json:"version_source"`
	Image         *ImagePart `json:"image,omitempty"`
	// Mode is the routing policy in the product's own word: kv, round-robin, prefixaware, cache_aware,
	// PrefixCacheAffinityRouter, ... For a picker it is its index of prefixes: precise-prefix-cache, approx-prefix-cache
	// or none.
	Mode string `json:"mode,omitempty"`
	// Settings are effective values under one name whatever they were set by; Args and Env as written.
	Settings map[string]SettingPart `json:"settings"`
	Args     map[string][]string    `json:"args"`
	Env      map[string]string      `json:"env"`
	// Config is the router's own configuration document (EndpointPickerConfig, policy file), as written.
	Config map[string]any `json:"config,omitempty"`
	// Objects are the InferenceObjectives and the like that a picker reads beside its configuration.
	Objects []ObjectPart `json:"objects,omitempty"`
	// Pool is the InferencePool that a picker serves, as far as the files show it.
	Pool      *PoolPart      `json:"pool,omitempty"`
	Replicas  *ReplicasPart  `json:"replicas,omitempty"`
	Rollout   *RolloutPart   `json:"rollout,omitempty"`
	Pod       *PodPart       `json:"pod,omitempty"`
	Resources *ResourcesPart `json:"resources,omitempty"`
	Helm      *HelmPart      `json:"helm,omitempty"`
	// Targets are names of engines.
	Targets []string `json:"targets"`
}

// PoolPart is an InferencePool, with its spec as written.
type PoolPart struct {
	Name       string         `json:"name"`
	APIVersion string         `json:"api_version"`
	Spec       map[string]any `json:"spec"`
}

// ObjectPart is a Kubernetes object.
type ObjectPart struct {
	Kind       string `json:"kind"`
	APIVersion string `json:"api_version"`
	Name       string `json:"name"`
}

// PartRef points at a part of the stack: part is gateway, engine or router.
type PartRef struct {
	Part string `json:"part"`
	Name string `json:"name,omitempty"`
}

// AutoscalerPart is an HPA, a KEDA ScaledObject, a chart's autoscaling block, or the planner of a Dynamo graph.
type AutoscalerPart struct {
	// Kind is hpa, keda, podautoscaler, planner or ray (Serve's own); Chart is true when a values block renders it.
	Kind    string   `json:"kind"`
	Chart   bool     `json:"chart"`
	Name    string   `json:"name"`
	Target  *PartRef `json:"target,omitempty"`
	Enabled bool     `json:"enabled"`
	// Min and Max are effective; MinWritten is false for a default.
	Min        int          `json:"min"`
	Max        int          `json:"max"`
	MinWritten bool         `json:"min_written"`
	Metrics    []MetricPart `json:"metrics"`
	// PollingIntervalSeconds, CooldownPeriodSeconds and IdleReplicas are KEDA's, when set; the written ones are
	// false for a chart's defaults.
	PollingIntervalSeconds *float64       `json:"polling_interval_seconds,omitempty"`
	CooldownPeriodSeconds  *float64       `json:"cooldown_period_seconds,omitempty"`
	PollingWritten         bool           `json:"polling_written"`
	CooldownWritten        bool           `json:"cooldown_written"`
	IdleReplicas           *int           `json:"idle_replicas,omitempty"`
	Behavior               map[string]any `json:"behavior,omitempty"`
	// Spec is the object's spec, or the chart's block, as written.
	Spec map[string]any `json:"spec"`
}

// MetricPart is one metric or trigger of an autoscaler.
type MetricPart struct {
	// Kind is cpu, memory, pods, object, external, prometheus or another KEDA trigger type.
	Kind string `json:"kind"`
	// Name is the metric's name, for pods, object and external metrics.
	Name string `json:"name,omitempty"`
	// TargetKind is Utilization, AverageValue or Value; Target the number (percent, cores, bytes or plain).
	TargetKind string   `json:"target_kind,omitempty"`
	Target     *float64 `json:"target,omitempty"`
	// Container is the container whose use alone counts, for cpu and memory.
	Container string `json:"container,omitempty"`
	// Query is the index in queries, for triggers that have one.
	Query *int `json:"query,omitempty"`
}

// ProbePart is one probe or health check.
type ProbePart struct {
	// Kind is liveness, readiness, startup or healthcheck (compose, Dockerfile).
	Kind   string   `json:"kind"`
	Target *PartRef `json:"target,omitempty"`
	// Type is http, tcp, exec or grpc.
	Type string `json:"type"`
	// Path and Port are those of the request; for exec those of the first URL on the own host in the command.
	Path    string   `json:"path,omitempty"`
	Port    any      `json:"port,omitempty"`
	Command []string `json:"command,omitempty"`
	// Headers are the names of the request's headers in lower case; of a command only authorization.
	Headers             []string `json:"headers"`
	InitialDelaySeconds float64  `json:"initial_delay_seconds"`
	PeriodSeconds       float64  `json:"period_seconds"`
	TimeoutSeconds      float64  `json:"timeout_seconds"`
	FailureThreshold    float64  `json:"failure_threshold"`
	// Chart is true when the probe is a chart's default that nobody wrote.
	Chart bool `json:"chart"`
}

// ServicePart is a Service, or a compose service as a name others reach.
type ServicePart struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
	// Type is ClusterIP, NodePort, LoadBalancer, ExternalName or compose.
	Type            string            `json:"type"`
	Headless        bool              `json:"headless"`
	SessionAffinity string            `json:"session_affinity,omitempty"`
	Labels          map[string]string `json:"labels,omitempty"`
	Selector        map[string]string `json:"selector"`
	Ports           []map[string]any  `json:"ports"`
	Target          *PartRef          `json:"target,omitempty"`
}

// IngressPart is an Ingress, HTTPRoute or reverse proxy in front of a gateway.
type IngressPart struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`
	Target *PartRef `json:"target,omitempty"`
	// TimeoutSeconds is the smallest written read or request timeout.
	TimeoutSeconds *float64          `json:"timeout_seconds,omitempty"`
	Annotations    map[string]string `json:"annotations"`
}

// ScrapePart is a Prometheus scrape of a part.
type ScrapePart struct {
	// Kind is servicemonitor, podmonitor, job or annotation.
	Kind            string   `json:"kind"`
	Name            string   `json:"name"`
	Target          *PartRef `json:"target,omitempty"`
	Path            string   `json:"path,omitempty"`
	Port            any      `json:"port,omitempty"`
	IntervalSeconds *float64 `json:"interval_seconds,omitempty"`
	Authorized      bool     `json:"authorized"`
}

// QueryPart is one PromQL text.
type QueryPart struct {
	// Where is dashboard, alert, recording, keda, hpa or adapter.
	Where string `json:"where"`
	// Name is the panel's title, the alert's or record's name, or the trigger's.
	Name string `json:"name,omitempty"`
	Text string `json:"text"`
	// Metrics are the series the query selects, in order.
	Metrics []SeriesPart `json:"metrics"`
	// Product is vllm, litellm, router or empty.
	Product string   `json:"product,omitempty"`
	Target  *PartRef `json:"target,omitempty"`
	// Parsed is false when the text is no PromQL that the parser accepts.
	Parsed bool `json:"parsed"`
}

// SeriesPart is one selected series.
type SeriesPart struct {
	// Name is as written; Metric the product's own name for it (prefix and spelling normalised).
	Name   string `json:"name"`
	Metric string `json:"metric"`
	// Product is vllm, litellm, router (the production-stack router's own series) or empty.
	Product string            `json:"product,omitempty"`
	Labels  map[string]string `json:"labels"`
}

// DatabasePart is the Postgres of the gateway.
type DatabasePart struct {
	Server *ServerPart `json:"server,omitempty"`
	Pooler *PoolerPart `json:"pooler,omitempty"`
	URLs   []URLPart   `json:"urls"`
}

// ServerPart is a Postgres server in the files.
type ServerPart struct {
	Name string `json:"name"`
	// Kind is compose, kubernetes, cnpg, zalando, crunchy, stackgres, patroni, bitnami, config or external.
	Kind string `json:"kind"`
	// MaxConnections is written, or Postgres' default of 100 when the server itself is in the files;
	// Reserved are the superuser's.
	MaxConnections *int       `json:"max_connections,omitempty"`
	Written        bool       `json:"written"`
	Reserved       int        `json:"reserved"`
	Image          *ImagePart `json:"image,omitempty"`
}

// PoolerPart is a connection pooler between gateway and server.
type PoolerPart struct {
	Name string `json:"name"`
	// Kind is pgbouncer, cnpg, zalando, crunchy, stackgres or pod (LiteLLM's own in the gateway's pod).
	Kind string `json:"kind"`
	// Mode is session, transaction or statement.
	Mode string `json:"mode,omitempty"`
	// PoolSize is connections per database and user, MaxDBConnections per database; Instances are poolers.
	PoolSize         *int `json:"pool_size,omitempty"`
	MaxDBConnections *int `json:"max_db_connections,omitempty"`
	MaxClientConn    *int `json:"max_client_conn,omitempty"`
	Instances        int  `json:"instances"`
	// MaxPreparedStatements is how many prepared statements a server connection keeps, as written: PgBouncer has the
	// setting from 1.21, with a default of 0 up to 1.23 and above 0 from 1.24 on.
	MaxPreparedStatements *int       `json:"max_prepared_statements,omitempty"`
	Image                 *ImagePart `json:"image,omitempty"`
}

// URLPart is one database URL, without its password.
type URLPart struct {
	// Name is the setting that holds it: DATABASE_URL, DATABASE_URL_READ_REPLICA, DIRECT_URL, database_url.
	Name   string            `json:"name"`
	Scheme string            `json:"scheme"`
	Host   string            `json:"host"`
	Port   string            `json:"port,omitempty"`
	Params map[string]string `json:"params"`
	// Target is server, pooler, external or unknown.
	Target string `json:"target"`
}

// RedisPart is every Redis the gateway is told of.
type RedisPart struct {
	Instances []RedisInstancePart `json:"instances"`
	// Watched is true when a query of the files looks at a Redis by other series than the gateway's: those of an exporter or of a
	// cloud, or a target that is named after one.
	Watched bool `json:"watched"`
}

// RedisInstancePart is one Redis and what uses it.
type RedisInstancePart struct {
	// Use is coordination, cache, router or env.
	Use string `json:"use"`
	// Kind is single, cluster or sentinel.
	Kind string `json:"kind"`
	Host string `json:"host,omitempty"`
	// Ports are those of the Kubernetes Service that the host names.
	Ports []int `json:"ports,omitempty"`
}

// ComposePart is the compose project after overrides.
type ComposePart struct {
	Services map[string]map[string]any `json:"services"`
}

// PromptPart is one template out of which prompts are made.
type PromptPart struct {
	// Kind is chat-template (of an engine) or dotprompt (of LiteLLM's prompt management).
	Kind   string   `json:"kind"`
	Target *PartRef `json:"target,omitempty"`
	// Lines are the first lines of the text, without front matter.
	Lines []string `json:"lines"`
}

// RequirementPart is one pinned Python package.
type RequirementPart struct {
	Name      string `json:"name"`
	Specifier string `json:"specifier"`
	Version   string `json:"version,omitempty"`
	File      string `json:"file"`
	// Locked is true for the entry of a lock file and for one with hashes.
	Locked bool `json:"locked"`
}

// FilePart is one document of the stack.
type FilePart struct {
	Path string `json:"path"`
	// Kind is the document's kind: litellm-config, helm-values, compose, manifest, env, shell, ...
	Kind string `json:"kind"`
	// Example is true for a path that says so: example, sample, demo, template, test, local, dev, ...
	Example bool `json:"example"`
}

// RevisionsPart holds the commits of the two trees compared under --since. Only users' policies see it.
type RevisionsPart struct {
	Base string `json:"base"`
	// Head is the commit that the working copy began with.
	Head string `json:"head"`
}
