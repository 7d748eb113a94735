import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { eventually } from '../../test/eventually.ts'
import { makeCleanRoot, searchPath, whyNoRoot } from '../clean-root/clean-root.ts'
import { networkEnvironment } from '../clean-root/network.ts'
import { root } from '../setup.mjs'
import { type ImageConfig, runtimeConfig } from './bundle.ts'

const run = promisify(execFile)
const maxBuffer = 64 * 1_048_576
const timeout = 1_800_000
const maxLooks = 50_000

let place = ''
let built: { rootFolder: string; image: ImageConfig } | undefined
let missing: string | undefined

const has = (program: string): Promise<boolean> =>
  run(program, ['--version']).then(
    () => true,
    () => false,
  )

/** Buildah on a storage that is deleted with the test. */
const buildah = async (...args: string[]): Promise<string> => {
  const storage = ['--root', join(place, 'storage'), '--runroot', join(place, 'run')]
  const { stdout } = await run('buildah', [...storage, ...args], { maxBuffer, cwd: place })
  return stdout.trim()
}

/** An image of a small Debian with Node 24 and npm, in place of the published one. */
const makeBase = async (): Promise<void> => {
  const base = await makeCleanRoot({ node: '24', npm: '11' })
  try {
    const container = await buildah('from', 'scratch')
    await buildah('add', '--quiet', container, base.folder, '/')
    for (const variable of [`PATH=${searchPath}`, ...networkEnvironment()])
      await buildah('config', '--env', variable, container)
    await buildah('commit', '--quiet', container, 'localhost/base')
  } finally {
    await base.remove()
  }
}

const build = async () => {
  const context = join(place, 'context')
  await run('git', ['clone', '--quiet', root, context])
  // What is not committed yet is tested too.
  for (const name of ['Dockerfile', '.dockerignore']) cpSync(join(root, name), join(context, name))
  const words = ['--isolation', 'chroot', '--network', 'host', '--build-arg', 'BASE_IMAGE=localhost/base']
  await buildah('bud', '--quiet', ...words, '--tag', 'localhost/diorama', context)
  const inspected = JSON.parse(await buildah('inspect', '--type', 'image', 'localhost/diorama'))
  const container = await buildah('from', 'localhost/diorama')
  return { rootFolder: await buildah('mount', container), image: inspected.OCIv1.config as ImageConfig }
}

/** Runs the image on a free port until `use` is over; the exit status is that of its entry point. */
const withService = async (
  masked: boolean,
  use: (service: { baseUrl: string; apiKey: string }) => Promise<void>,
): Promise<number> => {
  if (!built) return assert.fail('the image is not built')
  const bundle = mkdtempSync(join(place, 'bundle-'))
  const dataFolder = join(bundle, 'data')
  mkdirSync(dataFolder)
  chownSync(dataFolder, 10_001, 10_001)
  const env = ['PORT=0', 'DIORAMA_BASE_URL=', 'DIORAMA_EMBEDDINGS=off']
  writeFileSync(
    join(bundle, 'config.json'),
    JSON.stringify(runtimeConfig({ ...built, dataFolder, env, masked })),
  )
  const name = `diorama-image-test-${process.pid}-${masked}`
  const runtime = ['--root', join(place, 'runtime')]
  const child = spawn('runc', [...runtime, 'run', '--bundle', bundle, name], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text
    })
  const ended = once(child, 'close')
  try {
    const ready = await eventually(
      () => /ready at (http:\S+?)["\s]/.exec(printed)?.[1] ?? (child.exitCode === null ? false : ''),
      'the service did not start',
      maxLooks,
    )
    const baseUrl = ready || assert.fail(`it ended: ${printed}`)
    const port = new URL(baseUrl).port
    const apiKey = readFileSync(join(dataFolder, 'api-key'), 'utf8').trim()
    await use({ baseUrl: `http://127.0.0.1:${port}`, apiKey })
  } finally {
    await run('runc', [...runtime, 'kill', name, 'TERM']).catch(() => child.kill('SIGKILL'))
  }
  return (await ended)[0]
}

/** Holds the example agent to the sample company; resolves with what was printed and the exit status. */
const gate = ({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }) => {
  const agent = join(root, 'examples/agents/careful')
  const words = ['--url', baseUrl, 'gate', agent, '--run', 'node agent.mjs', '--sample']
  return run(process.execPath, [join(root, 'cli/diorama.mjs'), ...words], {
    env: { ...process.env, DIORAMA_API_KEY: apiKey },
  }).then(
    ({ stdout, stderr }) => ({ status: 0, text: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      status: error.code,
      text: error.stdout + error.stderr,
    }),
  )
}

const needsImage = (context: TestContext): boolean => {
  if (missing !== undefined) context.skip(missing)
  return missing === undefined
}

before(
  async () => {
    missing = whyNoRoot()
    for (const program of ['buildah', 'runc'])
      if (missing === undefined && !(await has(program))) missing = `${program} is not installed`
    if (missing !== undefined) return
    place = mkdtempSync(join(tmpdir(), 'diorama-image-'))
    await makeBase()
    built = await build()
  },
  { timeout },
)
after(
  async () => {
    if (place === '') return
    await buildah('umount', '--all').catch(() => undefined)
    await buildah('rm', '--all').catch(() => undefined)
    if (existsSync(place)) rmSync(place, { recursive: true, force: true })
  },
  { timeout },
)

describe('the image, built by buildah on a Debian root and run by runc', () => {
  it('satisfies hadolint', { timeout }, async (context) => {
    if (!(await has('hadolint'))) return context.skip('hadolint is not installed')
    await run('hadolint', [join(root, 'Dockerfile')])
  })

  it('passes a gate in bubblewrap as an ordinary user without capabilities, and drains on SIGTERM', {
    timeout,
  }, async (context) => {
    if (!needsImage(context)) return
    const status = await withService(false, async (service) => {
      const { status, text } = await gate(service)
      assert.match(text, /isolation\s+bubblewrap[\s\S]*All 4 tasks passed/)
      assert.equal(status, 0)
    })
    assert.equal(status, 0)
  })

  it('serves without the documented flags, and says why an evaluation cannot start', {
    timeout,
  }, async (context) => {
    if (!needsImage(context)) return
    await withService(true, async (service) => {
      const { status, text } = await gate(service)
      assert.match(text, /No sandbox on this machine: bwrap does not work here/)
      assert.equal(status, 3)
    })
  })
})
