import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { openSandbox } from '../open.ts'
import type { Sandbox } from '../sandbox.ts'
import { describeSandbox } from '../testing/conformance.ts'

const searchPath = process.env.PATH ?? ''

const open = async (): Promise<Sandbox> => {
  const opened = await openSandbox({ choice: 'bubblewrap', stateDir: tmpdir(), searchPath })
  if ('unavailable' in opened) throw new Error(opened.unavailable)
  return opened.sandbox
}

describeSandbox({ name: 'bubblewrap', open })

test('without bubblewrap the error gives the reason and the remedy, and no weaker driver is used', async () => {
  const opened = await openSandbox({ choice: 'auto', stateDir: tmpdir(), searchPath: '/nowhere' })
  assert.ok('unavailable' in opened)
  assert.match(
    opened.unavailable,
    /bwrap is not installed.*apt-get install bubblewrap.*DIORAMA_SANDBOX=process/,
  )
})
