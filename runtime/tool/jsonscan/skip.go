package jsonscan

// Check reads a whole text of one value. It returns nil or an *[Error]: the first one of syntax, or else the first
// duplicate key.
func Check(text string) error {
	var s Scanner
	if s.Reset(text) && s.Space() == 0 && s.Pos == len(text) {
		s.Fail(Empty, len(text), "")
	}
	if s.err.Code == "" && s.Skip(0) && s.End() && len(s.Dups) > 0 {
		s.Fail(DuplicateKey, s.Dups[0], "an object")
	}
	if s.err.Code != "" {
		err := s.err
		return &err
	}
	return nil
}

// Skip reads the value at Pos, white space before it included, and checks all of it. Depth is how many objects and
// arrays are open around it. Names that stand twice in one object are noted in Dups and are no error.
func (s *Scanner) Skip(depth int) bool {
	switch c := s.Space(); c {
	case '"':
		_, _, ok := s.Literal()
		return ok
	case '{':
		return s.skipObject(depth + 1)
	case '[':
		return s.skipArray(depth + 1)
	case 't':
		return s.Word("true")
	case 'f':
		return s.Word("false")
	case 'n':
		return s.Word("null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		_, _, _, ok := s.Number()
		return ok
	default:
		return s.NoValue("a value")
	}
}

// NoValue notes that the byte at Pos starts no value; in is what the text would end inside of.
func (s *Scanner) NoValue(in string) bool {
	if s.Pos < len(s.Src) {
		switch s.Src[s.Pos] {
		case 'N', 'I':
			return s.Fail(NotFinite, s.Pos, "")
		case '+', '.':
			return s.Fail(BadNumber, s.Pos, "a number")
		}
	}
	return s.Unexpected(in)
}

// Colon reads the colon after a name, white space around it included.
func (s *Scanner) Colon() bool {
	if s.Space() != ':' {
		return s.Unexpected("an object")
	}
	s.Pos++
	return true
}

// Comma reads what separates or ends the members of an object (end is '}') or the items of an array (']'). It reports
// whether another one follows; first tells that none has been read.
func (s *Scanner) Comma(end byte, first bool) (more, ok bool) {
	c := s.Space()
	if c == end {
		s.Pos++
		return false, true
	}
	if first {
		return true, true
	}
	in := inside(end)
	if c != ',' {
		return false, s.Unexpected(in)
	}
	comma := s.Pos
	s.Pos++
	if s.Space() == end {
		if !s.Tolerant {
			return false, s.Fail(TrailingComma, comma, in)
		}
		s.Commas++
		s.Pos++
		return false, true
	}
	return true, true
}

func inside(end byte) string {
	if end == '}' {
		return "an object"
	}
	return "an array"
}

// Deeper checks that another object or array may be opened, at the given depth, its own level included.
func (s *Scanner) Deeper(depth int) bool {
	return depth <= MaxDepth || s.Fail(TooDeep, s.Pos, "")
}

func (s *Scanner) skipObject(depth int) bool {
	if !s.Deeper(depth) {
		return false
	}
	start := s.Pos
	s.Pos++
	var keys KeySet
	for first := true; ; first = false {
		more, ok := s.Comma('}', first)
		if !more {
			return ok
		}
		if s.Space() != '"' {
			return s.Unexpected("an object")
		}
		off := s.Pos + 1
		raw, escaped, ok := s.Literal()
		if !ok || !s.Colon() {
			return false
		}
		if !s.Known && !keys.Add(s, off, raw, escaped) {
			s.duplicate(start, off)
		}
		if !s.member('}', depth) {
			return false
		}
	}
}

// duplicate notes the name at off, which the object at start holds already, unless that is noted.
func (s *Scanner) duplicate(start, off int) {
	if len(s.Dups) >= MaxDups {
		return
	}
	of := s.dupsOf[:min(len(s.Dups), len(s.dupsOf))] // who calls Skip empties Dups alone
	for i, o := range of {
		if o == start && SameName(s.Src, s.Dups[i], off) {
			return
		}
	}
	s.Dups = append(s.Dups, off)
	s.dupsOf = append(of, start)
}

func (s *Scanner) skipArray(depth int) bool {
	if !s.Deeper(depth) {
		return false
	}
	s.Pos++
	for first := true; ; first = false {
		more, ok := s.Comma(']', first)
		if !more {
			return ok
		}
		if !s.member(']', depth) {
			return false
		}
	}
}

// member skips a value inside an object or array. A text that ends here ends inside of that.
func (s *Scanner) member(end byte, depth int) bool {
	if s.Space() == 0 && s.Pos >= len(s.Src) {
		return s.Fail(Truncated, len(s.Src), inside(end))
	}
	return s.Skip(depth)
}
