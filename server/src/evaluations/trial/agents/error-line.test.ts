import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorLine } from './error-line.ts'

test('the line that names the error of a program is found among what it printed', () => {
  const node = `file:///home/agent/agent.mjs:1
throw new Error("no key")
      ^

Error: no key
    at file:///home/agent/agent.mjs:1:7 {
  [cause]: Error: ENOENT
}

Node.js v24.21.0
`
  const python = `Traceback (most recent call last):
  File "agent.py", line 2, in <module>
KeyError: 'a'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "agent.py", line 4, in <module>
agent.vault.VaultError: no key
`
  assert.equal(errorLine(node), 'Error: no key')
  assert.equal(errorLine(python), 'agent.vault.VaultError: no key')
  assert.equal(errorLine('starting\nsh: 1: agent: not found\n'), 'sh: 1: agent: not found')
  assert.equal(errorLine('\n'), '')
})
