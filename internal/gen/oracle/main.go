// Command oracle asks the real LiteLLM proxy, and the argument parser of vLLM, whether agentlint is right about them. Each
// question is a small deployment and what agentlint says of it, committed beforehand; the command installs the releases
// into virtual environments in the user's cache, asks, and ends with 1 when an answer differs or when a question
// was not answered. It needs python3, and redis-server for the questions with Redis.
//
//	go run -C internal/gen ./oracle                  # all suites and releases
//	go run -C internal/gen ./oracle -suites starts   # one of behaviour, starts, settings, arguments
//	go run -C internal/gen ./oracle -only limits     # the questions whose name matches
//	go run -C internal/gen ./oracle -predict         # write what agentlint predicts, and ask nothing
//	go run -C internal/gen ./oracle -write           # also write the tables of docs/evidence; go generate ./rules writes its pages
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// root is the module's directory, seen from the directory of the generators.
const root = "../.."

// releases of LiteLLM that are asked: the one that the rules were read in, and the newest that the index serves. Neither
// is one of the compromised ones.
var releases = []string{"1.102.0", "1.110.2"}

// vllmReleases are the releases whose argument parser is asked.
var vllmReleases = []string{"0.29.0", "0.33.0"}

// Answer is what came of one question put to one release.
type answer struct {
	suite, name string
	release     string
	rules       []string
	question    string
	predicted   string
	observed    string
	// unanswered says why there is no observation.
	unanswered string
}

func (a *answer) verdict() string {
	switch {
	case a.unanswered != "":
		return "unanswered"
	case !slices.Contains(strings.Split(a.predicted, " or "), a.observed):
		return "differs"
	}
	return "agrees"
}

// suite puts its questions to one release.
type suite struct {
	name     string
	releases []string
	// predict writes the predictions that are not written by hand; nil when there are none.
	predict func() error
	ask     func(o *oracle, release string) ([]answer, error)
}

type oracle struct {
	only *regexp.Regexp
	// home is where environments, sources and downloads are kept.
	home string
}

func (o *oracle) asks(name string) bool { return o.only.MatchString(name) }

var suites = []suite{
	{"behaviour", releases, nil, askBehaviour},
	{"starts", releases, predictStarts, askStarts},
	{"settings", releases, predictSettings, askSettings},
	{"arguments", vllmReleases, nil, askArguments},
}

func main() {
	log.SetFlags(0)
	only := flag.String("only", "", "ask only the questions whose name matches")
	names := flag.String("suites", "", "ask only these suites, separated by commas")
	which := flag.String("releases", "", "ask only these releases, separated by commas")
	predict := flag.Bool("predict", false, "write the predictions and ask nothing")
	write := flag.Bool("write", false, "write docs/evidence")
	flag.Parse()
	re, err := regexp.Compile(*only)
	if err != nil {
		log.Fatal(err)
	}
	if *write && *only != "" && *names != "behaviour" {
		log.Fatal("-write needs all questions of a suite: leave out -only, which goes with -suites behaviour")
	}
	home, err := cacheDir()
	if err != nil {
		log.Fatal(err)
	}
	o := &oracle{only: re, home: home}
	var answers []answer
	failed := false
	for _, s := range suites {
		if *names != "" && !slices.Contains(strings.Split(*names, ","), s.name) {
			continue
		}
		if *predict {
			if s.predict != nil {
				if err := s.predict(); err != nil {
					log.Fatalf("%s: %v", s.name, err)
				}
			}
			continue
		}
		for _, r := range s.releases {
			if *which != "" && !slices.Contains(strings.Split(*which, ","), r) {
				continue
			}
			start := time.Now()
			list, err := s.ask(o, r)
			if err != nil {
				log.Printf("%s at %s: %v", s.name, r, err)
				failed = true
			}
			for i := range list {
				list[i].suite, list[i].release = s.name, r
			}
			answers = append(answers, list...)
			fmt.Printf("%s at %s: %s, %s\n", s.name, r, tally(list), time.Since(start).Round(time.Second))
			for _, a := range list {
				if v := a.verdict(); v != "agrees" {
					failed = true
					fmt.Printf("  %s: %s (%s)\n    predicted: %s\n    observed:  %s%s\n", v, a.name, a.question, a.predicted, a.observed, a.unanswered)
				}
			}
		}
	}
	if *write && !*predict {
		if err := writeEvidence(answers, *only != "", time.Now()); err != nil {
			log.Fatal(err)
		}
	}
	if failed {
		os.Exit(1)
	}
}

func tally(list []answer) string {
	n := map[string]int{}
	for _, a := range list {
		n[a.verdict()]++
	}
	return fmt.Sprintf("%d questions, %d agree, %d differ, %d unanswered", len(list), n["agrees"], n["differs"], n["unanswered"])
}
