package rules

import (
	"strconv"
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-queue-cap-below-slots",
		Title:    "The queue limit is smaller than the slots of the engine",
		Category: "engine-args",
		Why: `` + "`--max-num-queued-reqs`" + ` limits the requests that are in flight, waiting and running together, over all data-parallel ranks. Smaller than ` + "`--max-num-seqs`" + ` times the data-parallel
size, it makes the engine answer 503, without a Retry-After header, while slots are free: it acts as a concurrency limit. At the same number
every slot can fill, and nothing can wait. Unset ` + "`--max-num-seqs`" + ` is 256, 1024 on GPUs with 70 GiB and more except A100 (and GB10 from 0.33), 128 per process on CPUs. In 0.29 each API server
process counts by itself, and by default there is one per data-parallel rank. A request with n above 1 takes n places.`,
		Remedy:   `Set ` + "`--max-num-queued-reqs`" + ` above slots plus the requests that may wait, twice the slots for example, or lower ` + "`--max-num-seqs`" + ` to the concurrency that is wanted.`,
		Severity: model.Warning, Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Inputs:     []string{"engine.args", "engine.image"},
		When:       []string{"engine.args.max-num-queued-reqs"},
		Applies:    []string{"vllm>=0.29"},
		Fix:        model.Unsafe, FixTitle: "raise --max-num-queued-reqs to twice the slots",
		Question: "May as many requests wait as run? Was the number meant as a concurrency limit?",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/config/scheduler.py", Symbol: "Maximum number of requests that can be in-flight (waiting or running)", Checked: "2026-11-29"},
			{Artefact: "vllm 0.29.0", File: "vllm/v1/engine/async_llm.py", Symbol: "Request queue full - rejecting request", Checked: "2026-11-29",
				Note: "Admitted while current + n <= limit, counted in each API server process; shared between them from 0.30.0 on."},
			{Artefact: "vllm 0.29.0", File: "vllm/engine/arg_utils.py", Symbol: "default_max_num_seqs", Checked: "2026-11-29",
				Note: "256, or 1024 from 70 GiB except A100."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			limit, ok := e.ArgInt("max-num-queued-reqs", 0)
			slots, known := e.slots()
			if text, state := e.Arg("max-num-queued-reqs"); state != model.Present || text == "" || !ok || !known || limit < 0 {
				continue
			}
			cap, each := limit, ""
			if !e.AtLeast("0.30.0") {
				servers, ok := e.ArgInt("api-server-count", slots.ranks)
				if !ok || servers < 1 || servers > 1<<16 {
					continue
				}
				if cap *= servers; servers > 1 {
					each = " in each of " + strconv.FormatInt(servers, 10) + " API servers"
				}
			}
			if cap > slots.n || cap > 1024*slots.ranks {
				continue
			}
			at := e.At("args", "max-num-queued-reqs", 0)
			var r *Report
			if cap < slots.n {
				r = p.Report(at, "--max-num-queued-reqs %d counts running requests too%s, and the engine has %s: it answers 503 while slots are free", limit, each, slots)
			} else {
				r = p.Report(at, "--max-num-queued-reqs %d counts running requests too%s, and the engine has %s: every slot can fill, and no request can wait", limit, each, slots).Severity(model.Info)
			}
			if e.State("args", "max-num-seqs") == model.Present {
				r.Related(e.At("args", "max-num-seqs", 0), "slots of each rank")
			}
			r.Fix(model.Fix{Ops: []model.Op{model.Set(at, strconv.FormatInt(2*slots.n, 10))}})
		}
	},
})

// slots are the sequences that an engine runs at once.
type slots struct {
	n, ranks int64
	// note says where an unwritten number comes from.
	note string
}

func (s slots) String() string {
	text := strconv.FormatInt(s.n, 10) + " slots"
	if s.note != "" {
		text += " (" + s.note + ")"
	}
	if s.ranks > 1 {
		text += " on " + strconv.FormatInt(s.ranks, 10) + " data-parallel ranks"
	}
	return text
}

// slots returns --max-num-seqs times the data-parallel size; false when one of them is not known.
func (q Part) slots() (slots, bool) {
	s := slots{ranks: 1}
	for _, flag := range [...]string{"data-parallel-external-lb", "data-parallel-rank", "data-parallel-hybrid-lb", "data-parallel-start-rank", "headless"} {
		if q.ArgOn(flag) {
			return s, false // a part of the ranks only is behind this API server
		}
	}
	ranks, ok := q.ArgInt("data-parallel-size", 1)
	if !ok || ranks < 1 || ranks > 1<<16 {
		return s, false
	}
	s.ranks = ranks
	var each int64
	if q.Absent("args", "max-num-seqs") {
		each, s.note, ok = q.defaultSlots()
	} else {
		each, ok = q.ArgInt("max-num-seqs", 0)
	}
	s.n = each * ranks
	return s, ok && each > 0 && each < 1<<32
}

// defaultSlots is the slots of one rank where --max-num-seqs is not written, and why it is that number; false when what
// decides it is not known.
func (q Part) defaultSlots() (n int64, note string, ok bool) {
	n, note = 256, "--max-num-seqs is not set: 256, or 1024 on GPUs of 70 GiB and more"
	if q.State("image", "repository") == model.Unseen || q.State("gpu", "name") == model.Unseen {
		return 0, "", false
	}
	repository, _ := q.Text("image", "repository")
	name, _ := q.Text("gpu", "name")
	name = strings.ToLower(name)
	memory, known := q.Get("gpu", "gib").AsFloat(false)
	switch {
	case strings.Contains(repository, "cpu"):
		tensor, ok := q.ArgInt("tensor-parallel-size", 1)
		pipeline, ok2 := q.ArgInt("pipeline-parallel-size", 1)
		if !ok || !ok2 || tensor < 1 || pipeline < 1 || tensor > 1<<16 || pipeline > 1<<16 {
			return 0, "", false
		}
		n, note = 128*tensor*pipeline, "--max-num-seqs is not set: 128 per process on CPUs"
	case known && memory >= 70 && !strings.Contains(name, "a100") && !strings.Contains(name, "tpu") && (!strings.Contains(name, "gb10") || !q.AtLeast("0.33.0")):
		n, note = 1024, "--max-num-seqs is not set: 1024 on GPUs of 70 GiB and more"
	case known:
		note = "--max-num-seqs is not set: 256 on this GPU"
	}
	switch mode, state := q.Arg("performance-mode"); {
	case state == model.Unseen:
		return 0, "", false
	case mode == "throughput":
		n *= 2
		note += ", doubled by --performance-mode throughput"
	}
	return n, note, true
}
