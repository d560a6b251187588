package knowledge

import "testing"

func TestClosest(t *testing.T) {
	words := []string{"facts", "profile", "policies", "targets", "target"}
	for _, c := range []struct{ name, want string }{
		{"profil", "profile"},
		{"tagret", "target"},
		{"targe", "target"},
		{"fact", "facts"},
		{"Target", "target"},
		{"ignore", ""},
		{"", ""},
	} {
		if got := Closest(c.name, words); got != c.want {
			t.Errorf("Closest(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}
