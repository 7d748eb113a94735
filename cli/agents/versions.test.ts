import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { createClient } from '@diorama/sdk/index.ts'
import { testService } from '../../server/src/testing.ts'
import { type AgentOptions, registerAgent } from './register-agent.ts'

it('other files or settings make a new version of an agent, and the same ones do not', async () => {
  await using service = await testService()
  const client = createClient({ baseUrl: service.baseUrl, apiKey: service.key })
  const folder = mkdtempSync(join(tmpdir(), 'diorama-agent-'))
  const register = async (options: AgentOptions): Promise<string> => {
    const given = { cwd: folder, folder: '.', note: () => {}, signal: AbortSignal.timeout(60_000) }
    const { made } = await registerAgent(client, { ...given, options: { name: 'mine', ...options } })
    return made.version
  }
  try {
    writeFileSync(join(folder, 'agent.mjs'), 'work()')
    const plain = await register({ run: 'node agent.mjs' })
    assert.equal(await register({ run: 'node agent.mjs' }), plain)
    const settings: AgentOptions[] = [
      { run: 'node agent.mjs --fast' },
      { run: 'node agent.mjs', timeout: 60 },
      { run: 'node agent.mjs', env: ['LEVEL=1'] },
      { run: 'node agent.mjs', env: ['LEVEL=2'] },
      { run: 'node agent.mjs', network: 'none' },
    ]
    const versions = [plain]
    for (const options of settings) versions.push(await register(options))
    writeFileSync(join(folder, 'agent.mjs'), 'work(2)')
    versions.push(await register({ run: 'node agent.mjs' }))
    assert.equal(new Set(versions).size, versions.length, versions.join(' '))
    assert.equal(
      await register({ run: 'node agent.mjs', env: ['LEVEL=2'] }),
      await register(settings[3] ?? {}),
    )
    const listed = await client.agents.listVersions('mine')
    assert.equal(listed.items.length, versions.length + 1)
    writeFileSync(join(folder, 'package.json'), '{"version": "1.4.0"}')
    assert.equal(
      await register({ run: 'node agent.mjs' }),
      '1.4.0',
      'a version that the folder names is kept',
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
