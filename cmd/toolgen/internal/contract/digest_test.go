package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/gowebpki/jcs"
	"github.com/stretchr/testify/require"
)

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

func TestMeaningDigest(t *testing.T) {
	for _, c := range []struct{ name, parameters, canonical string }{
		{"members and required are sorted", `{"type":"object","required":["b","a"],"properties":{"b":{},"a":{}}}`,
			`{"properties":{"a":{},"b":{}},"required":["a","b"],"type":"object"}`},
		{"a property that is called required", `{"properties":{"required":{"enum":["b","a"],"required":["d","c"]}}}`,
			`{"properties":{"required":{"enum":["b","a"],"required":["c","d"]}}}`},
		{"values are not schemas", `{"default":{"required":["b","a"]},"const":{"required":["b","a"]},"enum":[{"required":["b","a"]}]}`,
			`{"const":{"required":["b","a"]},"default":{"required":["b","a"]},"enum":[{"required":["b","a"]}]}`},
		{"nested schemas", `{"$defs":{"x":{"required":["b","a"]}},"anyOf":[{"required":["b","a"]}],"items":{"required":["b","a"]}}`,
			`{"$defs":{"x":{"required":["a","b"]}},"anyOf":[{"required":["a","b"]}],"items":{"required":["a","b"]}}`},
		{"the order of UTF-16", `{"required":["\ufb33","\ud83d\ude00"]}`, "{\"required\":[\"😀\",\"\ufb33\"]}"},
		{"wide integers", `{"maximum":9007199254740993,"minimum":-9007199254740993,"a":9007199254740992,"b":1e20,"c":0.10,"d":[1.0]}`,
			`{"a":9007199254740992,"b":"100000000000000000000","c":0.1,"d":[1],"maximum":"9007199254740993","minimum":"-9007199254740993"}`},
		{"any value", `true`, `true`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := MeaningDigest("n", "d <é>\n", []byte(c.parameters))
			require.NoError(t, err)
			require.Equal(t, sum("{\"description\":\"d <é>\\n\",\"name\":\"n\",\"parameters\":"+c.canonical+"}"), got)
		})
	}
	for _, bad := range []string{``, `{`, `{} {}`, `{"a":1,"a":2}`, `{"a":1e999}`, "\"\xff\""} {
		_, err := MeaningDigest("n", "d", []byte(bad))
		require.Error(t, err, bad)
	}
	_, err := MeaningDigest("\xff", "d", []byte(`{}`))
	require.Error(t, err)
}

func TestBytesDigest(t *testing.T) {
	require.Equal(t, sum(`{"name":"n","description":"a \"b\" <c>\u001f`+"\u2028"+`","parameters":{"b": 1,"a":2}}`),
		BytesDigest("n", "a \"b\" <c>\x1f\u2028", []byte(`{"b": 1,"a":2}`)))
	require.NotEqual(t, BytesDigest("n", "d", []byte(`{"a":1,"b":2}`)), BytesDigest("n", "d", []byte(`{"b":2,"a":1}`)))
}

func TestCanonicalString(t *testing.T) {
	s := "\"\\/\b\f\n\r\t\x00\x1f\x7f<>&é\u2028\u2029😀"
	quoted, err := marshalString(s)
	require.NoError(t, err)
	want, err := jcs.Transform(quoted)
	require.NoError(t, err)
	require.Equal(t, string(want), canonicalString(s))
}
