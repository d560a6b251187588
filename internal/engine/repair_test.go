package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

const repairable = `model_list: []
litellm_settings:
  # agentlint: ignore[ignore-expired] nothing expires here
  request_timeout: 6000 # seconds
  num_retries: 2 # agentlint: ignore[unused-ignore] nothing is unused here
`

func repairOptions(files map[string]string) Options {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return Options{Root: ".", FS: fsys, Today: "2026-11-29"}
}

func TestApplyFixes(t *testing.T) {
	only := []string{"unused-ignore", "request-timeout-very-long"}
	o := repairOptions(map[string]string{"config.yaml": repairable})
	r, err := ApplyFixes(context.Background(), o, RepairOptions{Only: only})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(repairable, "  # agentlint: ignore[ignore-expired] nothing expires here\n", "")
	want = strings.ReplaceAll(want, " # agentlint: ignore[unused-ignore] nothing is unused here", "")
	if len(r.Changed) != 1 || string(r.Changed[0].New) != want || string(r.Changed[0].Old) != repairable {
		t.Errorf("changed %q", r.Changed)
	}
	if len(r.Applied) != 2 || len(r.Refused) != 0 {
		t.Errorf("%d applied, %d refused", len(r.Applied), len(r.Refused))
	}
	if len(r.Decisions) != 1 || r.Decisions[0].Finding.Rule != "request-timeout-very-long" {
		t.Errorf("decisions %+v", r.Decisions)
	}
	if len(r.Before.Findings) <= len(r.After.Findings) {
		t.Errorf("%d findings before, %d after", len(r.Before.Findings), len(r.After.Findings))
	}

	// A second time there is nothing to do.
	r, err = ApplyFixes(context.Background(), repairOptions(map[string]string{"config.yaml": want}), RepairOptions{Only: only})
	if err != nil || len(r.Changed) > 0 || len(r.Applied) > 0 {
		t.Errorf("a second time changes %q, %v", r.Changed, err)
	}

	r, err = ApplyFixes(context.Background(), o, RepairOptions{Only: only, Unsafe: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Changed) != 1 || !strings.Contains(string(r.Changed[0].New), "request_timeout: 600 # seconds\n") || len(r.Decisions) > 0 {
		t.Errorf("with unsafe fixes: %q, decisions %+v", r.Changed, r.Decisions)
	}

	// What is not accepted, because a baseline holds it, stays.
	r, err = ApplyFixes(context.Background(), o, RepairOptions{Accept: func(*Finding) bool { return false }})
	if err != nil || len(r.Changed) > 0 || len(r.Decisions) > 0 {
		t.Errorf("nothing was accepted: %q, %+v, %v", r.Changed, r.Decisions, err)
	}
}

// textRun is a run whose findings come from a function of the files' text, each with a fix that replaces one text by
// another.
func textRun(find func(text string) [][3]string) func(context.Context, Options) (*Result, error) {
	return func(_ context.Context, o Options) (*Result, error) {
		r := &Result{}
		text := o.Overlay["a"]
		f := source.NewFile("a", text)
		for i, x := range find(string(text)) {
			at := strings.Index(string(text), x[1])
			if at < 0 {
				at = 0
			}
			r.Findings = append(r.Findings, &Finding{
				Rule: x[0], Severity: model.Warning, Fingerprint: fmt.Sprint(i), Location: model.Location{File: f},
				Fixes: []Fix{{Title: x[1] + " to " + x[2], Safety: model.Safe, Edits: []FileEdit{{File: f, Edit: source.Edit{Span: source.Span{Start: at, End: at + len(x[1])}, Text: x[2]}}}}},
			})
		}
		return r, nil
	}
}

func repairText(t *testing.T, text string, find func(string) [][3]string) (string, *Repair) {
	t.Helper()
	o := Options{Overlay: map[string][]byte{"a": []byte(text)}}
	out, err := applyFixes(context.Background(), o, RepairOptions{}, textRun(find))
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Changed) == 0 {
		return text, out
	}
	return string(out.Changed[0].New), out
}

func TestRefusesWhatDoesNotHelp(t *testing.T) {
	got, r := repairText(t, "bad", func(text string) [][3]string { return [][3]string{{"stays", "bad", "worse"}} })
	if got != "bad" || len(r.Refused) != 1 || r.Refused[0].Reason != "the finding would still be there" {
		t.Errorf("got %q, refused %+v", got, r.Refused)
	}
}

func TestRefusesWhatBringsAnother(t *testing.T) {
	got, r := repairText(t, "bad", func(text string) [][3]string {
		if text == "bad" {
			return [][3]string{{"one", "bad", "new"}}
		}
		return [][3]string{{"two", "new", "new"}}
	})
	if got != "bad" || len(r.Refused) != 1 || r.Refused[0].Reason != "it would bring about two: " {
		t.Errorf("got %q, refused %+v", got, r.Refused)
	}
}

func TestOneBadFixDoesNotStopTheOthers(t *testing.T) {
	find := func(text string) [][3]string {
		var out [][3]string
		for _, w := range []string{"a1", "b2", "c3", "d4", "e5"} {
			if strings.Contains(text, w) {
				out = append(out, [3]string{"r" + w, w, "ok"})
			}
		}
		if strings.Contains(text, "x9") || strings.Contains(text, "c3") {
			out = append(out, [3]string{"never", "c3", "x9"})
		}
		return out
	}
	got, r := repairText(t, "a1 b2 .. d4 e5 c3", find)
	if got != "ok ok .. ok ok ok" && got != "ok ok .. ok ok x9" {
		t.Errorf("got %q", got)
	}
	if len(r.Applied) < 5 {
		t.Errorf("%d applied", len(r.Applied))
	}
}

func TestFixesThatOverlapTakeTurns(t *testing.T) {
	got, r := repairText(t, "abc", func(text string) [][3]string {
		switch text {
		case "abc":
			return [][3]string{{"one", "ab", "xy"}, {"two", "bc", "zz"}}
		case "xyc":
			return [][3]string{{"two", "yc", "ok"}}
		}
		return nil
	})
	if got != "xok" || len(r.Applied) != 2 {
		t.Errorf("got %q, %d applied", got, len(r.Applied))
	}
}

func TestCyclesEnd(t *testing.T) {
	got, r := repairText(t, "ping", func(text string) [][3]string {
		if text == "ping" {
			return [][3]string{{"one", "ping", "pong"}}
		}
		return nil
	})
	if got != "pong" || len(r.Refused) > 0 {
		t.Errorf("got %q, refused %+v", got, r.Refused)
	}
	n := 0
	_, r = repairText(t, "0", func(text string) [][3]string {
		// Two rules that disagree: each is content with what the other one is not.
		n++
		if text == "0" {
			return [][3]string{{"wants-one", "0", "1"}, {"idle", "zz", "zz"}}
		}
		return [][3]string{{"wants-zero", "1", "0"}}
	})
	if n > 100 {
		t.Errorf("%d runs", n)
	}
	if len(r.Refused) == 0 {
		t.Error("nothing was refused")
	}
}
