package fixers_test

import (
	"context"
	"testing"
	"testing/fstest"

	"agentlint/fixers"
	"agentlint/internal/model"
	"agentlint/internal/source"
	"agentlint/loaders"
)

const config = "model_list:\n  - model_name: m\n    litellm_params:\n      model: openai/gpt-4o\n"

// TestNewVariablesAndFlags adds variables and flags to parts of deployments that have none of that kind yet.
func TestNewVariablesAndFlags(t *testing.T) {
	type P = model.Path
	const deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: vllm\nspec:\n  template:\n    spec:\n      containers:\n        - name: vllm\n          image: vllm/vllm-openai:v0.29.0\n          args: [\"m\"]\n"
	const classic = "image:\n  repository: ghcr.io/berriai/litellm\nproxy_config:\n  model_list: []\n"
	const components = "gateway:\n  config:\n    proxy_config:\n      model_list: []\ndatabase:\n  writer:\n    host: h\n"
	const stack = "servingEngineSpec:\n  modelSpec:\n    - name: a\n      modelURL: m\n      vllmConfig:\n        maxNumSeqs: 64\n    - name: b\n      modelURL: n\n"
	const dynamo = "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata:\n  name: g\nspec:\n  services:\n    Frontend:\n      componentType: frontend\n      replicas: 1\n    Worker:\n      componentType: worker\n      replicas: 1\n      extraPodSpec:\n        mainContainer:\n          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.2.0\n          args: [\"--model\", \"m\"]\n"
	for _, c := range []struct {
		name, file, in string
		op             model.Op
		want           string
	}{
		{"compose", "docker-compose.yml", "services:\n  litellm:\n    image: ghcr.io/berriai/litellm:v1.102.0\n    command: [\"--config\", \"/c.yaml\"]\n", model.Set(P{"gateway", "env", "LITELLM_MODE"}, "PRODUCTION"),
			"services:\n  litellm:\n    image: ghcr.io/berriai/litellm:v1.102.0\n    command: [\"--config\", \"/c.yaml\"]\n    environment:\n      LITELLM_MODE: PRODUCTION\n"},
		{"compose, empty", "docker-compose.yml", "services:\n  litellm:\n    image: ghcr.io/berriai/litellm:v1.102.0\n    environment:\n    command: [\"--config\", \"/c.yaml\"]\n", model.Set(P{"gateway", "env", "A"}, "1"),
			"services:\n  litellm:\n    image: ghcr.io/berriai/litellm:v1.102.0\n    environment:\n      A: \"1\"\n    command: [\"--config\", \"/c.yaml\"]\n"},
		{"compose flag", "docker-compose.yml", "services:\n  litellm:\n    image: ghcr.io/berriai/litellm:v1.102.0\n    command: [\"--config\", \"/c.yaml\"]\n", model.Set(P{"gateway", "args", "num-workers"}, 4),
			"services:\n  litellm:\n    image: ghcr.io/berriai/litellm:v1.102.0\n    command: [\"--config\", \"/c.yaml\", \"--num_workers\", \"4\"]\n"},
		{"kubernetes", "d.yaml", deployment, model.Set(P{"engines", 0, "env", "PYTHONHASHSEED"}, "0"),
			deployment + "          env:\n            - name: PYTHONHASHSEED\n              value: \"0\"\n"},
		{"kubernetes flag", "d.yaml", deployment, model.Set(P{"engines", 0, "args", "max-num-seqs"}, 64),
			deployment[:len(deployment)-len("[\"m\"]\n")] + "[\"m\", \"--max-num-seqs\", \"64\"]\n"},
		{"classic chart", "values.yaml", classic, model.Set(P{"gateway", "env", "LITELLM_MODE"}, "PRODUCTION"),
			classic + "envVars:\n  LITELLM_MODE: PRODUCTION\n"},
		{"classic chart with variables", "values.yaml", classic + "envVars:\n  A: \"x\"\n", model.Set(P{"gateway", "env", "LITELLM_MODE"}, "PRODUCTION"),
			classic + "envVars:\n  A: \"x\"\n  LITELLM_MODE: \"PRODUCTION\"\n"},
		{"componentized chart", "values.yaml", components, model.Set(P{"gateway", "env", "LITELLM_MODE"}, "PRODUCTION"),
			"gateway:\n  config:\n    proxy_config:\n      model_list: []\n  extraEnv:\n    - name: LITELLM_MODE\n      value: PRODUCTION\ndatabase:\n  writer:\n    host: h\n"},
		{"production stack", "values.yaml", stack, model.Set(P{"engines", 0, "env", "PYTHONHASHSEED"}, "0"),
			"servingEngineSpec:\n  modelSpec:\n    - name: a\n      modelURL: m\n      vllmConfig:\n        maxNumSeqs: 64\n      env:\n        - name: PYTHONHASHSEED\n          value: \"0\"\n    - name: b\n      modelURL: n\n"},
		{"production stack, a key of its own", "values.yaml", stack, model.Set(P{"engines", 0, "args", "max-model-len"}, "8192"),
			"servingEngineSpec:\n  modelSpec:\n    - name: a\n      modelURL: m\n      vllmConfig:\n        maxNumSeqs: 64\n        maxModelLen: 8192\n    - name: b\n      modelURL: n\n"},
		{"production stack, another flag", "values.yaml", stack, model.Set(P{"engines", 1, "args", "block-size"}, "16"),
			stack + "      vllmConfig:\n        enablePrefixCaching: true\n        extraArgs:\n          - --block-size=16\n"},
		{"production stack, an empty block", "values.yaml", stack + "      vllmConfig: {}\n", model.Set(P{"engines", 1, "args", "max-model-len"}, "8192"),
			stack + "      vllmConfig:\n        enablePrefixCaching: true\n        maxModelLen: 8192\n"},
		{"production stack, that flag itself", "values.yaml", stack, model.Set(P{"engines", 1, "args", "enable-prefix-caching"}, true),
			stack + "      vllmConfig:\n        extraArgs:\n          - --enable-prefix-caching\n"},
		{"production stack, a block that says nothing of it", "values.yaml", stack, model.Set(P{"engines", 0, "args", "block-size"}, "16"),
			"servingEngineSpec:\n  modelSpec:\n    - name: a\n      modelURL: m\n      vllmConfig:\n        maxNumSeqs: 64\n        extraArgs:\n          - --block-size=16\n    - name: b\n      modelURL: n\n"},
		{"dynamo", "d.yaml", dynamo, model.Set(P{"engines", 0, "env", "PYTHONHASHSEED"}, "0"),
			dynamo + "      envs:\n        - name: PYTHONHASHSEED\n          value: \"0\"\n"},
		{"componentized chart, a field", "values.yaml", components, model.Set(P{"gateway", "resources", "limits", "memory"}, "32Gi"),
			"gateway:\n  config:\n    proxy_config:\n      model_list: []\n  resources:\n    limits:\n      memory: 32Gi\ndatabase:\n  writer:\n    host: h\n"},
		{"config alone", "config.yaml", config, model.Set(P{"gateway", "env", "A"}, "x"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := loaders.Load(context.Background(), fstest.MapFS{c.file: {Data: []byte(c.in)}}, nil, &loaders.Options{})
			if err != nil || len(set.Stacks) == 0 {
				t.Fatal(err, len(set.Stacks))
			}
			edits, err := fixers.Plan(set.Stacks[0], []model.Op{c.op})
			if err != nil {
				if c.want != "" {
					t.Fatal(err)
				}
				return
			}
			var list []source.Edit
			for _, e := range edits {
				list = append(list, e.Edit)
			}
			got, err := source.Apply([]byte(c.in), list)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestNewBlockOfSeveral writes two flags of one fix into a block of a chart's values that is not there yet.
func TestNewBlockOfSeveral(t *testing.T) {
	const in = "servingEngineSpec:\n  modelSpec:\n    - name: a\n      modelURL: m\n"
	set, err := loaders.Load(context.Background(), fstest.MapFS{"values.yaml": {Data: []byte(in)}}, nil, &loaders.Options{})
	if err != nil || len(set.Stacks) == 0 {
		t.Fatal(err)
	}
	args := model.Path{"engines", 0, "args"}
	edits, err := fixers.Plan(set.Stacks[0], []model.Op{model.Set(args.With("block-size"), "16"), model.Set(args.With("max-model-len"), "8192"), model.Set(args.With("seed"), "1")})
	if err != nil {
		t.Fatal(err)
	}
	var list []source.Edit
	for _, e := range edits {
		list = append(list, e.Edit)
	}
	got, err := source.Apply([]byte(in), list)
	if err != nil {
		t.Fatal(err)
	}
	const want = in + "      vllmConfig:\n        enablePrefixCaching: true\n        extraArgs:\n          - --block-size=16\n          - --seed=1\n        maxModelLen: 8192\n"
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
