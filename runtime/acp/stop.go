package acp

import (
	sdk "github.com/coder/acp-go-sdk"

	"github.com/toolgen-dev/toolgen/runtime/agent"
)

// stopReason is how a turn ended in the protocol's words. A turn that failed has no reason there, unless it took too many
// steps: it is an error, in words that may be shown.
func stopReason(end agent.TurnEnd) (sdk.StopReason, *sdk.RequestError) {
	switch end.Outcome {
	case agent.Completed:
		return sdk.StopReasonEndTurn, nil
	case agent.TokenLimit:
		return sdk.StopReasonMaxTokens, nil
	case agent.Refused:
		return sdk.StopReasonRefusal, nil
	case agent.Interrupted:
		return sdk.StopReasonCancelled, nil
	}
	if end.Reason == agent.TooManySteps {
		return sdk.StopReasonMaxTurnRequests, nil
	}
	return "", sdk.NewInternalError(because("the turn failed: " + string(end.Reason)))
}
