import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testService } from '../../server/src/testing.ts'
import { writeBenchmark } from './testing-benchmark.ts'

const launcher = fileURLToPath(new URL('../diorama.mjs', import.meta.url))

/** Says that the kiln is hot: one task of three asks for just that, one for any message, one for something else. */
const agent = `
const { SVC_CHAT_BASE_URL: base, SVC_CHAT_TOKEN: token } = process.env
await fetch(base + '/api/chat.postMessage', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + token },
  body: new URLSearchParams({ channel: 'C_FORGE', text: 'The kiln is hot' }),
})
`

describe('a benchmark on the command line', () => {
  it('is listed, imported with its proof, run by an agent and reported with intervals', async () => {
    await using service = await testService()
    const folder = await mkdtemp(join(tmpdir(), 'diorama-bench-'))
    const env = {
      PATH: process.env.PATH,
      DIORAMA_BASE_URL: service.baseUrl,
      DIORAMA_API_KEY: service.key,
      NO_COLOR: '1',
    }
    const diorama = (...words: string[]): Promise<{ status: number; out: string; err: string }> =>
      new Promise((resolve) => {
        execFile(process.execPath, [launcher, ...words], { cwd: folder, env }, (error, out, err) =>
          resolve({ status: error ? Number(error.code) : 0, out, err }),
        )
      })
    const worked = async (...words: string[]): Promise<{ out: string; err: string }> => {
      const ran = await diorama(...words)
      assert.equal(ran.status, 0, `${words.join(' ')}: ${ran.err}`)
      return ran
    }
    try {
      await mkdir(join(folder, 'files'))
      await writeBenchmark(join(folder, 'files'))
      await mkdir(join(folder, 'agent'))
      await writeFile(join(folder, 'agent', 'agent.mjs'), agent)

      assert.match(
        (await worked('bench', 'list')).out,
        /agent-diff .* not imported\s*\n\s*crmarena .* not imported/,
      )
      const early = await diorama('bench', 'run', 'agent-diff', '--agent', 'sayer@1.0.0')
      assert.notEqual(early.status, 0)
      assert.match(
        early.err,
        /agent-diff has not been imported\. Run `diorama bench import agent-diff <folder>`/,
      )
      assert.match(
        (await diorama('bench', 'import', 'nothing', 'files')).err,
        /Choose one of: agent-diff, crmarena/,
      )

      const imported = await worked('bench', 'import', 'agent-diff', 'files', '--split', 'train')
      const suiteId = /Suite (ste_\w+): 3 tasks; doing nothing fails 3 of them\./.exec(imported.out)?.[1]
      assert.ok(suiteId, imported.out)
      assert.match(imported.out, /ember_2 .*loose/)
      assert.match(imported.out, /ember_3 .*unsolvable/)
      assert.doesNotMatch(imported.out, /ember_1/)
      assert.match((await worked('bench', 'list')).out, new RegExp(`agent-diff .* ${suiteId}\\s+3`))
      const checked = await diorama('suite', 'check', suiteId)
      assert.match(checked.err, /3 of 3 tasks are checked/)
      // Of the loose task it depends on the draw whether an agent passes that changes other things as well.
      assert.doesNotMatch(checked.out, /ember_[13]: .*: An agent/)

      await worked(
        ...['agent', 'register', 'agent', '--name', 'sayer', '--agent-version', '1.0.0'],
        ...['--run', 'node agent.mjs'],
      )
      const started = await worked('bench', 'run', 'agent-diff', '--agent', 'sayer@1.0.0', '--trials', '2')
      const job = /diorama bench report agent-diff (job_\w+)/.exec(started.out)?.[1] ?? ''
      await worked('eval', 'show', job, '--watch')
      const report = await worked('bench', 'report', 'agent-diff', job, '--markdown', 'results.md')
      // Two of three tasks, in both trials: 2 of 3 assertions, clustered by task.
      const interval = String.raw`66\.7 \[\d+\.\d, \d+\.\d\]`
      const anyInterval = String.raw`\d+\.\d \[\d+\.\d, \d+\.\d\]`
      assert.match(
        report.out,
        new RegExp(String.raw`sayer@1\.0\.0\s+ember\s+3\s+6\s+${interval}\s+${interval}\s+${anyInterval}`),
      )
      const markdown = await readFile(join(folder, 'results.md'), 'utf8')
      assert.match(
        markdown,
        new RegExp(
          String.raw`\| sayer@1\.0\.0, ember \| 3 \| 6 \| ${interval} \| ${interval} \| ${anyInterval} \|`,
        ),
      )
      assert.ok(report.out.includes(markdown.trim()))
      const { lines } = JSON.parse((await worked('bench', 'report', 'agent-diff', job, '--json')).out)
      assert.deepEqual([lines[0].tasks, lines[0].trials], [3, 6])
      assert.ok(lines[0].published.low < lines[0].published.value)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
