package knowledge

import (
	"testing"
)

func TestParseVersionOrder(t *testing.T) {
	// Each row is older than the next; versions of one row are equal.
	order := [][]string{
		{"0.9.0"},
		{"0.9.0.1"},
		{"0.10.1", "v0.10.1", "0.10.1+cu128", " 0.10.1 "},
		{"0.10.1.1"},
		{"0.17.2"},
		{"0.17.2.post1"},
		{"0.30.1.dev3"},
		{"0.30.1a1"},
		{"0.30.1b1", "0.30.1-beta.1"},
		{"0.30.1rc1", "v0.30.1.rc.1", "0.30.1-rc1", "0.30.1RC1"},
		{"0.30.1rc2"},
		{"0.30.1"},
		{"1.81.2"},
		{"1.81.16", "1.81.16-stable", "1.81.16-nightly"},
		{"1.83.14"},
		{"1.83.14-stable.patch.1", "1.83.14.post1"},
		{"1.83.14-stable.patch.2"},
		{"1.84", "1.84.0", "v1.84.0"},
	}
	for i, row := range order {
		for _, a := range row {
			va, err := ParseVersion(a)
			if err != nil {
				t.Fatal(err)
			}
			for j, other := range order {
				for _, b := range other {
					want := 0
					if i < j {
						want = -1
					} else if i > j {
						want = 1
					}
					if got := va.Compare(MustVersion(b)); got != want {
						t.Errorf("Compare(%s, %s) = %d, want %d", a, b, got, want)
					}
				}
			}
		}
	}
}

func TestParseVersionRefuses(t *testing.T) {
	for _, s := range []string{"", "v", "latest", "main", "1.2.3.4.5.6.7", "1.84.0-cu128", "1.84.0 beta 1", "1!2.0", "1.2.3-stable2", "9999999999.1", "1..2", "${TAG}"} {
		if v, err := ParseVersion(s); err == nil {
			t.Errorf("ParseVersion(%q) = %v, want an error", s, v)
		}
	}
}

func TestVersionFinalAndMinor(t *testing.T) {
	for _, c := range [][3]string{
		{"0.30.1rc1", "0.30.1", "0.30"},
		{"1.84.0-dev.2", "1.84.0", "1.84"},
		{"0.17.2.post1", "0.17.2.post1", "0.17"},
		{"0.17.2.post1+cu118", "0.17.2.post1", "0.17"},
		{"1.83.14-stable.patch.1", "1.83.14-stable.patch.1", "1.83"},
	} {
		v := MustVersion(c[0])
		if got := v.Final().String(); got != c[1] {
			t.Errorf("%s.Final() = %s, want %s", c[0], got, c[1])
		}
		if got := v.Minor(); got != c[2] {
			t.Errorf("%s.Minor() = %s, want %s", c[0], got, c[2])
		}
	}
}

func TestVersionFromTag(t *testing.T) {
	for _, c := range []struct {
		tag, version string
		floating, ok bool
	}{
		{"v1.81.16", "1.81.16", false, true},
		{"main-v1.81.16", "1.81.16", false, true},
		{"main-v1.81.16-stable", "1.81.16-stable", false, true},
		{"v1.83.14-stable.patch.1", "1.83.14-stable.patch.1", false, true},
		{"litellm_stable_release_branch-v1.70.1-stable", "1.70.1-stable", false, true},
		{"v1.80.11-stable.1", "1.80.11-stable.1", false, true},
		{"v1.84.0.rc.1", "1.84.0.rc.1", false, true},
		{"v1.84.0-rc.1", "1.84.0-rc.1", false, true},
		{"v0.11.0-x86_64", "0.11.0", false, true},
		{"v0.29.0-cu130-ubuntu2404", "0.29.0", false, true},
		{"v0.30.1rc1", "0.30.1rc1", false, true},
		{"0.9.0.1", "0.9.0.1", false, true},
		{"v0.10.1+gptoss", "0.10.1+gptoss", false, true},
		{"0.11-gpu-py312", "0.11", true, true},
		{"v1.81", "1.81", true, true},
		{"26.05-py3", "", false, false},
		{"latest-24.04", "24.04", true, true},
		{"26.13-py3", "26.13", true, true},
		{"latest", "", true, false},
		{"main-stable", "", true, false},
		{"nightly", "", true, false},
		{"", "", true, false},
		{"nightly-6f0d1c3a8b", "", false, false},
		{"main-5f3a9bc", "", false, false},
		{"2025-05-27-v1", "", false, false},
		{"nightly-2025-08-25", "", false, false},
		{"2025-05", "", true, false},
		{"build-2025-05-271", "", true, false},
		{"aibrix-kvcache-v0.8.5-20250520", "0.8.5", false, true},
		{"${LITELLM_VERSION}", "", true, false},
	} {
		v, floating, ok := VersionFromTag(c.tag)
		if v.String() != c.version || floating != c.floating || ok != c.ok {
			t.Errorf("VersionFromTag(%q) = %q, %v, %v, want %q, %v, %v", c.tag, v, floating, ok, c.version, c.floating, c.ok)
		}
	}
}

func FuzzParseVersion(f *testing.F) {
	for _, s := range []string{"1.81.16", "0.17.2.post1", "v1.83.14-stable.patch.1", "0.30.1rc1", "main-v1.81.16", "nightly-6f0d1c3a8b", "1.84.0-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		VersionFromTag(s)
		v, err := ParseVersion(s)
		if err != nil {
			return
		}
		again, err := ParseVersion(v.String())
		if err != nil || v.Compare(again) != 0 {
			t.Errorf("%q parses to %v, which parses to %v, %v", s, v, again, err)
		}
		if v.Final().Compare(v) < 0 {
			t.Errorf("Final of %q is older", s)
		}
	})
}

func TestRange(t *testing.T) {
	for _, c := range []struct {
		text, product string
		in, out       []string
	}{
		{"litellm>=1.81.16", "litellm", []string{"1.81.16", "1.83.14-stable.patch.1", "1.81.16rc1"}, []string{"1.81.12", "1.80.0"}},
		{"vllm>=0.9 <0.33", "vllm", []string{"0.9.0", "0.32.0", "0.9.0.1"}, []string{"0.33.0", "0.33.0rc1", "0.8.5.post1"}},
		{"litellm>=1.85,<1.88", "litellm", []string{"1.87.5"}, []string{"1.88.0"}},
		{"litellm==1.107.0", "litellm", []string{"1.107.0"}, []string{"1.106.12"}},
		{"litellm!=1.82.7 <=1.83", "litellm", []string{"1.82.6", "1.83.0"}, []string{"1.82.7", "1.83.1"}},
		{"dynamo>1.3", "dynamo", []string{"1.3.1"}, []string{"1.3.0"}},
		{"any", "", []string{"1.0"}, nil},
		{"", "", []string{"1.0"}, nil},
	} {
		r, err := ParseRange(c.text)
		if err != nil || r.Product != c.product {
			t.Errorf("ParseRange(%q) = %v, %v", c.text, r, err)
			continue
		}
		for _, v := range c.in {
			if !r.Contains(MustVersion(v)) {
				t.Errorf("%q does not contain %s", c.text, v)
			}
		}
		for _, v := range c.out {
			if r.Contains(MustVersion(v)) {
				t.Errorf("%q contains %s", c.text, v)
			}
		}
		again, err := ParseRange(r.String())
		if err != nil || again.String() != r.String() {
			t.Errorf("%q prints as %q, which reads as %v, %v", c.text, r, again, err)
		}
	}
	if r, _ := ParseRange("litellm>=1.81"); r.Contains(Version{}) {
		t.Error("the unknown version lies in a bounded range")
	}
	for _, s := range []string{">=1.0", "litellm 1.0", "litellm=>1", "litellm>=x", "litellm~=1.2"} {
		if _, err := ParseRange(s); err == nil {
			t.Errorf("ParseRange(%q) is accepted", s)
		}
	}
}
