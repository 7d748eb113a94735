// Package recorder counts calls and those that were answered right, and hands both in.
package recorder

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

type entry struct {
	Call  string `json:"call"`
	Right bool   `json:"right"`
	Got   string `json:"got,omitempty"`
}

var calls []entry

// Call records whether a call succeeded and gave what was expected.
func Call(name string, err error, right bool, got any) {
	one := entry{Call: name, Right: err == nil && right}
	if !one.Right {
		one.Got = fmt.Sprintf("%v %+v", err, got)
	}
	calls = append(calls, one)
}

// Refused records whether a call failed in the words that the service has for it.
func Refused(name string, err error, words string) {
	right := err != nil && strings.Contains(err.Error(), words)
	one := entry{Call: name + " (refused)", Right: right}
	if !right {
		one.Got = fmt.Sprint(err)
	}
	calls = append(calls, one)
}

// Finish hands in what was recorded.
func Finish() {
	text, err := json.Marshal(calls)
	if err == nil {
		err = os.WriteFile(os.Getenv("WORK_DIR")+"/output.txt", text, 0o644)
	}
	if err != nil {
		panic(err)
	}
}
