import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { type TestService, testService } from '../../testing.ts'

const run = promisify(execFile)
const tool = 'schemathesis==4.32.5'
const maxSeconds = 300
const checks = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance'],
  ...['response_headers_conformance', 'response_schema_conformance', 'negative_data_rejection'],
]
/**
 * What it cannot ask: streams have no end, search is off in tests and says so with 501, and it has no way to write the
 * lines of a cassette.
 */
const leftOut = '/stream$|^/v1/search$|^/v1/cassettes/.name./import$'

let folder: string
let service: TestService | undefined
let missing: string | undefined
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diorama-schemathesis-'))
  try {
    await run('python3', ['-m', 'venv', folder])
    await run(join(folder, 'bin/pip'), ['install', '-q', tool])
  } catch (error) {
    missing = `schemathesis cannot be installed: ${(error as Error).message.split('\n')[0]}`
    return
  }
  service = await testService()
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

describe('the service', () => {
  it('answers generated requests, right and wrong ones, as its OpenAPI document says', async (context) => {
    if (!service) return context.skip(missing)
    const words = [
      ...['run', `${service.baseUrl}/openapi.json`, '--header', `Authorization: Bearer ${service.key}`],
      ...[
        '--phases',
        'coverage,fuzzing',
        '--max-examples',
        '3',
        '--seed',
        '1',
        '--max-time',
        String(maxSeconds),
      ],
      ...['--checks', checks.join(), '--request-timeout', '60', '--continue-on-failure'],
      ...['--no-color', '--warnings', 'off', '--exclude-path-regex', leftOut],
    ]
    const { stdout } = await run(join(folder, 'bin/schemathesis'), words, {
      cwd: folder,
      maxBuffer: 64 * 1_048_576,
    }).catch((error: { stdout: string }) => assert.fail(error.stdout.slice(-20_000)))
    const tested = Number(/Tested: (\d+)/.exec(stdout)?.[1])
    assert.ok(tested > 150, stdout.slice(-3_000))
  })
})
