package decode

// Redacted stands in place of a secret value in what [Engine.Redact] returns.
const Redacted = `"[secret]"`

// Redact is [Engine.Normalize] for logs and traces: each value of a secret parameter is replaced by [Redacted]. It returns
// the texts of these values too, so that they can be kept out of other texts.
func (e *Engine) Redact(args string) (text []byte, secrets []string, r Report) {
	d := e.open(args)
	if !d.halt {
		d.secrets = &secrets
		text = d.normalize(make([]byte, 0, len(args)+len(args)/8+64))
		d.secrets = nil
	}
	if e.again(d, args) {
		secrets = nil
		d.secrets = &secrets
		text = d.normalize(text[:0])
		d.secrets = nil
	}
	if r = e.close(d); !r.OK() {
		return nil, nil, r
	}
	return text, secrets, r
}

// redact passes over the value of a secret property, and notes it.
func (d *Decoder) redact(dst []byte) []byte {
	start := d.scan.Pos
	d.Skip()
	if d.halt {
		return dst
	}
	*d.secrets = append(*d.secrets, d.scan.Src[start:d.scan.Pos])
	return append(dst, Redacted...)
}
