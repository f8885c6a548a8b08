package acp

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	sdk "github.com/coder/acp-go-sdk"
)

// promptText is a prompt as one text. A link is shown by its name and address; a file in the session's folder by its path there,
// which is what tools take.
func promptText(dir string, blocks []sdk.ContentBlock) (string, error) {
	var b strings.Builder
	for i, block := range blocks {
		switch {
		case block.Text != nil && block.Text.Type == "text":
			b.WriteString(block.Text.Text)
		case block.ResourceLink != nil && block.ResourceLink.Type == "resource_link":
			fmt.Fprintf(&b, "[%s](%s)", oneLine(block.ResourceLink.Name), oneLine(target(dir, block.ResourceLink.Uri)))
		default:
			return "", sdk.NewInvalidParams(because(fmt.Sprintf("/prompt/%d: only text and resource links are understood, as promptCapabilities says", i)))
		}
	}
	if strings.TrimSpace(b.String()) == "" {
		return "", sdk.NewInvalidParams(because("/prompt: it has no text"))
	}
	return b.String(), nil
}

// target is what a link leads to.
func target(dir, address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "file" || u.Host != "" {
		return address
	}
	path := filepath.FromSlash(u.Path)
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// oneLine keeps what comes from elsewhere within its line.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}
