package source

// flowValue reads a flow container that is a value in a block, and moves on to the content after it.
func (q *quick) flowValue(parent *Node, column int) *Node {
	n := q.flow(parent, q.pos)
	if !q.declined {
		q.ended(n.End, column)
	}
	return n
}

// flow reads the flow container at i.
func (q *quick) flow(parent *Node, i int) *Node {
	kind, bracket := List, byte(']')
	if q.at(i) == '{' {
		kind, bracket = Map, '}'
	}
	out := q.new(parent, kind, Flow, i)
	if q.depth++; q.depth > maxQuickDepth {
		q.decline()
	}
	defer func() { q.depth-- }()
	mark := len(q.open)
	for i = q.flowSpace(i + 1); q.at(i) != bracket; {
		lead := i
		if kind == Map {
			key, end := q.flowScalar(out, i)
			for i = end; q.at(i) == ' '; i++ {
			}
			if q.at(i) != ':' || i-lead > maxQuickKey || key != nil && key.Style == Plain && !q.blank(i+1) {
				q.decline()
			}
			if q.declined {
				return out
			}
			key.Lead = lead
			q.open = append(q.open, key)
			lead = i
			i = q.flowSpace(i + 1)
		}
		var value *Node
		switch q.at(i) {
		case '[', '{':
			if value = q.flow(out, i); !q.declined {
				i = value.End
			}
		case '*':
			value = q.alias(out, i)
			i = value.End
			if c := q.at(i); c != ' ' && c != '\n' && c != ',' && c != bracket {
				q.decline()
			}
		default:
			value, i = q.flowScalar(out, i)
		}
		if q.declined {
			return out
		}
		value.Lead = lead
		q.open = append(q.open, value)
		i = q.flowSpace(i)
		switch q.at(i) {
		case ',':
			i = q.flowSpace(i + 1)
		case bracket:
		default:
			q.decline()
		}
		if q.declined {
			return out
		}
	}
	out.End = i + 1
	q.close(out, mark)
	return out
}

// flowSpace returns the offset of the next token of a flow container.
func (q *quick) flowSpace(i int) int {
	for i < len(q.src) {
		switch q.src[i] {
		case ' ':
			i++
			continue
		case '\n':
			i++
			if c := q.at(i); c == '-' || c == '.' {
				q.decline() // perhaps the end of the document
			}
			continue
		case '#', '\t':
			q.decline()
		}
		return i
	}
	q.decline()
	return len(q.src)
}

// flowScalar reads a scalar in a flow container and returns the offset after it.
func (q *quick) flowScalar(parent *Node, i int) (*Node, int) {
	end := q.scalarEnd(i, true)
	if q.declined {
		return nil, i
	}
	return q.scalar(parent, i, end), end
}
