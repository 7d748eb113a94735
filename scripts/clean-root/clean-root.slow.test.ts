import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { eventually } from '../../test/eventually.ts'
import { type CleanRoot, type Job, makeCleanRoot, whyNoRoot } from './clean-root.ts'
import { serveRegistry } from './registry.ts'

const run = promisify(execFile)
const project = fileURLToPath(new URL('../..', import.meta.url))
const maxLooks = 50_000
/** Everything is installed over the network, several times. */
const timeout = 1_800_000
let root: CleanRoot | undefined
let missing = whyNoRoot()

/** The clean root, or a skipped test that says why there is none. */
const rootFor = (context: TestContext): CleanRoot | undefined => {
  if (root === undefined) context.skip(missing)
  return root
}

const baseUrlOf = (job: Job): Promise<string> =>
  eventually(
    async () => {
      const url = /ready at (\S+)/.exec(job.printed())?.[1]
      return url ?? (job.hasEnded() ? '' : false)
    },
    'the service did not start',
    maxLooks,
  ).then((url) => url || assert.fail(`it ended: ${job.printed().slice(-4_000)}`))

before(
  async () => {
    if (missing !== undefined) return
    try {
      root = await makeCleanRoot({ node: '20', npm: '10' })
    } catch (error) {
      missing = `no clean root can be made here: ${(error as Error).message.split('\n')[0]}`
      return
    }
    await run('git', ['clone', '--quiet', '--bare', project, join(root.folder, 'srv/diorama.git')])
  },
  { timeout },
)
after(() => root?.remove(), { timeout })

describe('in a clean root with Node 20, npm and git alone', () => {
  it('npm start installs what is missing and serves an evaluation from the clone', {
    timeout,
  }, async (context) => {
    const clean = rootFor(context)
    if (!clean) return
    const found = await clean.shell(
      'node --version; for name in python3 bwrap curl psql gcc; do command -v $name || true; done',
    )
    assert.match(found, /^v20\.[\d.]+\n$/, 'the root has Node 20 and nothing that npm start is to install')
    await clean.shell('git clone --quiet /srv/diorama.git /srv/diorama')
    const service = clean.untilStopped('cd /srv/diorama && exec npm start', { PORT: '0' })
    // Also where this fails: the next tests start a service on the same data.
    try {
      const baseUrl = await baseUrlOf(service)
      assert.match(service.printed(), /installing the packages of the service/)
      assert.match(service.printed(), /Sandbox: installed bubblewrap and python3/, service.printed())
      assert.equal((await fetch(`${baseUrl}/healthz`)).status, 200)
      const gate = await clean.shell(
        `cd /srv/diorama && npm run --silent cli -- --url ${baseUrl} gate examples/agents/careful --run "node agent.mjs" --sample`,
      )
      assert.match(gate, /All 4 tasks passed/)
    } finally {
      await service.stop()
    }
  })
})

// Side by side: each waits for the network most of the time.
describe('in that root, beside each other', { concurrency: true }, () => {
  it('npm test installs what the tests need, and passes with some files of the service and the command line', {
    timeout,
  }, async (context) => {
    const clean = rootFor(context)
    if (!clean) return
    const text = await clean.shell(
      `git clone --quiet /srv/diorama.git /srv/tested && cd /srv/tested
      npm test -- test/layers.test.ts cli/cli.test.ts server/src/worlds/worlds.test.ts`,
    )
    assert.match(text, /ℹ fail 0/)
  })

  it('npx starts the published packages, and diorama run needs a file alone', {
    timeout,
  }, async (context) => {
    const clean = rootFor(context)
    if (!clean) return
    const place = mkdtempSync(join(tmpdir(), 'diorama-packed-'))
    try {
      const registry = await serveRegistry(await pack(place))
      // What the registry has when they are published: npm finds the scope there, and all else where it always does.
      writeFileSync(join(clean.folder, 'srv/.npmrc'), `@diorama-dev:registry=${registry.url}\nyes=true\n`)
      try {
        const empty = join(clean.folder, 'srv/empty')
        mkdirSync(empty)
        const service = clean.untilStopped('cd /srv/empty && exec npx @diorama-dev/cli up --port 0')
        const baseUrl = await baseUrlOf(service)
        assert.equal((await fetch(`${baseUrl}/`)).status, 200)
        await service.stop()

        cpSync(join(project, 'examples/agents/careful'), join(empty, 'careful'), { recursive: true })
        writeFileSync(
          join(empty, 'diorama.yaml'),
          'world: {sample: true}\nagents: [{folder: careful, run: node agent.mjs}]\n',
        )
        const text = await clean.shell('cd /srv/empty && npx @diorama-dev/cli run', { PORT: '0' })
        assert.match(text, /no service is running: starting one for this evaluation/)
        assert.match(text, /All 4 tasks passed/)
      } finally {
        registry.close()
      }
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  })

  it('the wheel is built, installed and runs its examples, and so does npm run example', {
    timeout,
  }, async (context) => {
    const clean = rootFor(context)
    if (!clean) return
    await clean.shell('apt-get install -y --no-install-recommends python3-venv')
    await clean.shell(`cd /srv && python3 -m venv builder && python3 -m venv client
      builder/bin/pip wheel -q --no-deps -w dist diorama/python
      client/bin/pip install -q --no-index dist/diorama_client-*.whl
      mkdir -p a/b/c && cp diorama/examples/python/*.py a/b/c`)
    const service = clean.untilStopped('cd /srv/diorama && exec npm start', { PORT: '0' })
    const baseUrl = await baseUrlOf(service)
    const script = `export DIORAMA_API_KEY=$(cat /srv/diorama/.diorama/api-key)
      cd /srv/a/b/c && /srv/client/bin/python quick_start.py && /srv/client/bin/python async_quick_start.py`
    const text = await clean.shell(script, { DIORAMA_BASE_URL: baseUrl })
    assert.match(text, /as it was\.[\s\S]*chat auth\.test 200/)
    const example = `export DIORAMA_API_KEY=$(cat /srv/diorama/.diorama/api-key)
      cd /srv/diorama && npm run --silent example quick-start`
    assert.match(
      await clean.shell(example, { DIORAMA_BASE_URL: baseUrl }),
      /careful@1\.0\.0: 4 of 4 tasks passed/,
    )
    await service.stop()
  })
})

/** The packages of this checkout, as `npm publish` would upload them. */
const pack = async (place: string): Promise<string[]> => {
  await run(process.execPath, [join(project, 'console/build.mjs'), '--required'])
  const built = join(place, 'built')
  await run(process.execPath, ['--no-warnings', join(project, 'scripts/packages/build.mjs'), '--out', built])
  const names = readdirSync(built).filter((name) => !name.startsWith('.'))
  const packed = join(place, 'packed')
  mkdirSync(packed)
  await run('npm', ['pack', '--pack-destination', packed, ...names.map((name) => `./${name}`)], {
    cwd: built,
  })
  return readdirSync(packed).map((name) => join(packed, name))
}
