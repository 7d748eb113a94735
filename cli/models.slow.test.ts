import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openStandIn } from '../server/src/models/testing.ts'
import { testService } from '../server/src/testing.ts'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))

it('a provider is added and tested, and a judge calibrated, from the command line', async () => {
  await using standIn = await openStandIn(({ body }) => ({
    text: JSON.stringify({ score: JSON.stringify(body.messages).includes('grey') ? 0 : 1, rationale: 'So.' }),
  }))
  await using service = await testService({
    judgeModel: 'house/small',
    models: {
      ...{ providers: {}, prices: {}, timeoutMs: 10_000 },
      privateHosts: [new URL(standIn.baseUrl).host],
    },
  })
  const folder = mkdtempSync(join(tmpdir(), 'diorama-cli-'))
  const diorama = (...words: string[]): Promise<{ status: number; out: string }> =>
    new Promise((resolve) => {
      const env = {
        ...{ PATH: process.env.PATH, DIORAMA_BASE_URL: service.baseUrl, DIORAMA_API_KEY: service.key },
      }
      execFile(process.execPath, [main, ...words], { cwd: folder, env }, (error, out, err) =>
        resolve({ status: error ? Number(error.code) : 0, out: `${out}${err}` }),
      )
    })
  try {
    writeFileSync(join(folder, 'key'), 'sk-house')
    const put = await diorama('models', 'put', 'house', '--base-url', standIn.baseUrl, '--key-file', 'key')
    assert.equal(put.status, 0, put.out)
    const tested = await diorama('models', 'test', 'house', 'small')
    assert.deepEqual([tested.status, /answered/.test(tested.out)], [0, true], tested.out)
    assert.equal(standIn.asked.at(-1)?.headers.authorization, 'Bearer sk-house')
    await service.call('PUT', '/v1/model-providers/house', { base_url: standIn.baseUrl, models: ['small'] })
    assert.equal((await diorama('models', 'test', 'house', 'big')).status, 1)

    const { id } = (await service.call('POST', '/v1/scorers', { name: 'Colour', passThreshold: 0.5 })).body
    const graded = [
      ['blue', 'pass'],
      ['navy', 'pass'],
      ['grey', 'fail'],
      ['red', 'fail'],
    ].map(([output, label]) => JSON.stringify({ output, label }))
    writeFileSync(join(folder, 'graded.jsonl'), graded.join('\n'))
    const report = await diorama('scorer', 'calibrate', id, 'graded.jsonl')
    assert.equal(report.status, 0, report.out)
    assert.match(report.out, /agreement\s+75\.0 %/)
    assert.match(report.out, /kappa\s+0\.500/)
    assert.match(report.out, /fail\s+1\s+1/)
    assert.match(report.out, /Example 4: people fail, judge pass/)
    const listed = await diorama('scorer', 'calibrations', id)
    assert.match(listed.out, /house\/small\s+4\s+75\.0 %\s+0\.500/)
    writeFileSync(join(folder, 'graded.jsonl'), 'nonsense')
    assert.match(
      (await diorama('scorer', 'calibrate', id, 'graded.jsonl')).out,
      /Line 1 of graded.jsonl is not JSON/,
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
