import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const page = {
  http_method: 'POST',
  scope: { bot: ['pins:write'] },
  rate_limits: 't2',
  json_input_supported: true,
  args: {
    required: ['token', 'channel'],
    properties: {
      token: { type: 'string' },
      channel: { type: 'string' },
      limit: { type: 'integer', default: 5, maximum: 9 },
    },
  },
  errors: { no_pin: {}, bad_timestamp: {} },
  examples: { success: { example: { ok: true, items: [{ id: 'a', n: 1 }, { id: 'b' }] } } },
}

describe('the generator of data', () => {
  it('finds that the files in the tree are what was generated from the public sources', () => {
    const program = fileURLToPath(new URL('./generate.mjs', import.meta.url))
    const { status, stderr } = spawnSync(process.execPath, [program, '--check'], { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
  })

  it('takes facts from its sources, and finds a file that has drifted from them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'chat-data-'))
    try {
      const methods = join(folder, 'ref', 'docs.slack.dev', 'methods')
      mkdirSync(methods, { recursive: true })
      writeFileSync(join(methods, 'pins.remove.json'), JSON.stringify(page))
      const emoji = join(folder, 'emoji.json')
      writeFileSync(emoji, JSON.stringify([{ unified: '1F389', short_names: ['tada'], sort_order: 1 }]))
      const program = join(folder, 'generate.mjs')
      copyFileSync(fileURLToPath(new URL('./generate.mjs', import.meta.url)), program)
      const run = (...args: string[]) =>
        spawnSync(process.execPath, [program, join(folder, 'ref'), emoji, ...args], { encoding: 'utf8' })
      assert.equal(run().status, 0)
      const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'))
      assert.deepEqual(read('methods.generated.json'), {
        'pins.remove': {
          http: 'POST',
          json: true,
          tier: 2,
          bot: ['pins:write'],
          user: [],
          args: { channel: 'string*', limit: 'integer=5' },
          limits: { limit: { maximum: 9 } },
          errors: ['bad_timestamp', 'no_pin'],
        },
      })
      assert.deepEqual(read('examples.generated.json'), {
        'pins.remove': {
          success: { ok: 'boolean', items: 'list', 'items[]': 'object', 'items[].id': 'string' },
        },
      })
      assert.deepEqual(read('emoji.generated.json'), { '🎉': 'tada' })
      assert.equal(run('--check').status, 0)
      writeFileSync(join(folder, 'emoji.generated.json'), '{}')
      const alone = spawnSync(process.execPath, [program, '--check'], { encoding: 'utf8' })
      assert.equal(alone.status, 1)
      assert.match(alone.stderr, /emoji\.generated\.json/)
      const drifted = run('--check')
      assert.equal(drifted.status, 1)
      assert.match(drifted.stderr, /emoji\.generated\.json/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
