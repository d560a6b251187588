# METADATA
# title: Admission control is written and switched off
# description: |
#   The limit on requests in flight needs `max_in_flight_requests_per_worker`: without it the two queue settings do
#   nothing, and no message says so. A value that is none of what each setting accepts (a whole number above 0; a whole
#   number of 0 or more; a number of seconds above 0) switches the whole feature off: the process starts, logs one line
#   at the first request, "Ignoring invalid admission control settings, per-worker admission control is disabled", and
#   runs without a limit. In a run with such settings 12 requests at once were all admitted where 4 in flight and 4
#   queued were written.
# custom:
#   category: limits
#   severity: error
#   confidence: high
#   inputs: [gateway.config, gateway.env]
#   when:
#     - gateway.config.general_settings.max_in_flight_requests_per_worker
#     - gateway.config.general_settings.max_queued_requests_per_worker
#     - gateway.config.general_settings.admission_queue_timeout_seconds
#   applies: ["litellm>=1.101"]
#   remedy: |
#     Write all three: `max_in_flight_requests_per_worker` (a whole number above 0), `max_queued_requests_per_worker` (0
#     for no queue; the in-flight number when left out) and `admission_queue_timeout_seconds` (above 0; 1 when left
#     out). A reference must name a variable of the process that holds such a number. The limit needs a restart.
#   since: "0.1"
#   fix:
#     safety: unsafe
#     title: write a valid value
#     question: How many requests may one worker have in flight, and how long may others wait?
#   evidence:
#     - artefact: litellm 1.102.0
#       file: litellm/proxy/middleware/admission_control_middleware.py
#       symbol: Ignoring invalid admission control settings
#       checked: "2026-11-29"
#       note: >-
#         Run with 1.102.0 and 1.110.2: 0, -1, text, 100.5 and an unset reference are off; "100", 100.0 and a reference to
#         a number are on; a queue timeout of 0, null or "2s" and a queue of -1 switch the whole feature off. First in
#         1.101.0, absent in 1.100.5.
#   messages:
#     missing: "{key} has no effect: max_in_flight_requests_per_worker is not set, so every request is admitted and nothing says so"
#     in_flight: "max_in_flight_requests_per_worker is {value}, no whole number above 0: admission control is off for all requests"
#     one: "max_in_flight_requests_per_worker is true, which counts as 1: each worker takes one request at a time"
#     queued: "max_queued_requests_per_worker is {value}, no whole number of 0 or more: that switches the whole of admission control off"
#     timeout: "admission_queue_timeout_seconds is {value}, no number above 0: that switches the whole of admission control off"
#     unset: "{key} is {value}, and nothing sets that variable: admission control is off for all requests"
#     unseen: "{key} is {value}, whose value is not in the files: anything but a number switches admission control off"
package agentlint.rules["admission-control-half-set"]

import data.agentlint.lib

settings := ["gateway", "config", "general_settings"]

in_flight := "max_in_flight_requests_per_worker"

queued := "max_queued_requests_per_worker"

wait := "admission_queue_timeout_seconds"

at(key) := array.concat(settings, [key])

written(key) := lib.value(at(key), "absent")

# Nothing stands at the limit itself.
findings contains object.union({"at": at(key), "on_key": true, "message": "missing", "args": {"key": key}}, fix) if {
	no_limit
	key := [k | some k in [queued, wait]; not lib.absent(at(k))][0]
	fix := in_flight_fix
}

no_limit if lib.absent(at(in_flight))

no_limit if written(in_flight) == null

# As many in flight as may wait.
in_flight_fix := {"fix": {"edits": [{"op": "set", "at": at(in_flight), "value": n}]}} if {
	n := written(queued)
	is_number(n)
	n >= 1
	n == floor(n)
} else := {}

findings contains {"at": at(key), "message": problem, "args": {"key": key, "value": shown(written(key))}} if {
	some key in [in_flight, queued, wait]
	not no_limit
	problem := wrong(key, given(key))
	not mended(key)
}

findings contains {"at": at(key), "message": problem, "args": {"key": key, "value": shown(written(key))}, "fix": {"edits": [mend(key)]}} if {
	some key in [in_flight, queued, wait]
	not no_limit
	problem := wrong(key, given(key))
	mended(key)
}

# A reference to a variable that the process certainly does not have.
findings contains {"at": at(key), "message": "unset", "args": {"key": key, "value": written(key)}} if {
	some key in [in_flight, queued, wait]
	not no_limit
	empty_reference(key)
	not lib.unstarted
}

findings contains {"at": at(key), "message": "unseen", "args": {"key": key, "value": written(key)}, "needs": [concat(".", ["gateway.env", trim_prefix(written(key), "os.environ/")])]} if {
	some key in [in_flight, queued, wait]
	not no_limit
	refers(key)
	not known(key)
}

refers(key) if lib.environ_reference(written(key))

known(key) if {
	_ := effective(key)
	not unstarted_reference(key)
}

# An env file beside a config that nothing starts need not hold all that the config refers to.
unstarted_reference(key) if {
	lib.unstarted
	empty_reference(key)
}

effective(key) := lib.resolved(written(key))

# given(key): the value that the process gets; a reference to nothing is reported as such.
given(key) := effective(key) if not empty_reference(key)

empty_reference(key) if {
	refers(key)
	effective(key) == null
}

# wrong(key, value): the message for a value that the setting does not take.
wrong(key, value) := "in_flight" if {
	key == in_flight
	value != true
	not whole(value, 1)
}

wrong(key, true) := "one" if key == in_flight

wrong(key, value) := "queued" if {
	key == queued
	not value in {null, "absent", true, false}
	not whole(value, 0)
}

wrong(key, value) := "timeout" if {
	key == wait
	not value in {"absent", true}
	not positive(value)
}

# pydantic reads 100, 100.0 and the text "100" as whole numbers.
whole(value, least) if {
	n := lib.number(trimmed(value))
	n == floor(n)
	n >= least
}

positive(value) if lib.number(trimmed(value)) > 0

trimmed(value) := trim_space(value) if {
	is_string(value)
} else := value

shown(null) := "empty"

shown(value) := value if value != null

# A duration in seconds, and a limit with a fraction, have an obvious meaning; an empty wait has a default.
mended(key) if mend(key)

mend(key) := {"op": "set", "at": at(key), "value": n} if {
	key == wait
	text := written(key)
	is_string(text)
	not refers(key)
	n := lib.seconds(text)
	n > 0
}

mend(key) := {"op": "remove", "at": at(key)} if {
	key == wait
	written(key) == null
}

mend(key) := {"op": "set", "at": at(key), "value": floor(n)} if {
	key != wait
	n := written(key)
	is_number(n)
	n > 1
	n != floor(n)
}

unchecked contains concat(".", at(key)) if {
	some key in [in_flight, queued, wait]
	at(key) in lib.unknown_paths
}
