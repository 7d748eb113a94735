import { tmpdir } from 'node:os'
import { describe, test } from 'node:test'
import { openSandbox } from '../open.ts'
import type { Sandbox } from '../sandbox.ts'
import { describeExhaustingAgents } from '../testing/attacks/exhausting-agents.ts'
import { describeHostileAgents } from '../testing/attacks/hostile-agents.ts'
import { describeSandbox } from '../testing/conformance.ts'
import { hostLayer, savedImage, sourceOf } from '../testing/test-image.ts'
import { inImage, openTrialUnderAttack } from '../testing/trial-under-attack.ts'
import type { RuntimeName } from './runtimes.ts'

const searchPath = process.env.PATH ?? ''

const opened = async (imageRuntime: RuntimeName): Promise<Sandbox> => {
  const found = await openSandbox({ choice: 'bubblewrap', stateDir: tmpdir(), searchPath, imageRuntime })
  if ('unavailable' in found) throw new Error(found.unavailable)
  return found.sandbox
}

const whyNot = async (runtime: RuntimeName): Promise<string | undefined> => {
  await using sandbox = await opened(runtime)
  const found = await sandbox.images.available()
  return 'unavailable' in found ? found.unavailable : undefined
}

const { layer, path } = hostLayer({ python: true, node: true })
const source = sourceOf(await savedImage({ layers: [layer], config: { Env: [`PATH=${path}`] } }))

for (const runtime of ['crun', 'runc', 'runsc'] as const) {
  const reason = await whyNot(runtime)
  if (reason !== undefined) {
    test(`containers of ${runtime}`, { skip: reason }, () => undefined)
    continue
  }
  describeSandbox({ name: runtime, open: async () => inImage(await opened(runtime), source) })
  describe(`agents in a container of ${runtime}`, () => {
    describeHostileAgents(() => openTrialUnderAttack(searchPath, { source, runtime }))
  })
  describe(`exhausting agents in a container of ${runtime}`, () => {
    describeExhaustingAgents(() => openTrialUnderAttack(searchPath, { source, runtime }))
  })
}
