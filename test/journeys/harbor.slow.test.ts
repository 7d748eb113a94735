import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Client, createClient } from '../../sdk/index.ts'
import { readArchive } from '../../server/src/bridges/harbor/archive.ts'
import { type TestService, testService } from '../../server/src/testing.ts'

const run = promisify(execFile)
const here = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const oracles = here('examples/agents/oracles')
const idleCommand = 'echo "Nothing done." > "$WORK_DIR/output.txt"'

interface Company {
  readonly name: string
  readonly suiteId: string
  readonly oracle: string
  /** What each agent got for each task, by title. */
  readonly verdicts: ReadonlyMap<string, boolean | null>
  readonly folder: string
  readonly jobId: string
}

/** Files of an agent by their path, of a folder and of what oracles have in common. */
const filesIn = (folder: string, prefix: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((file) => /\.(mjs|py)$/.test(file))
      .map((file) => [`${prefix}${file}`, readFileSync(join(folder, file), 'utf8')]),
  )

const writeAll = (folder: string, files: ReadonlyMap<string, Uint8Array>): void => {
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

describe('Harbor tasks made from three companies', () => {
  const root = mkdtempSync(join(tmpdir(), 'diorama-harbor-'))
  let service: TestService
  let client: Client
  const companies: Company[] = []

  const verdictsOf = async (suiteId: string, agents: readonly string[]) => {
    const { job } = await client.evaluations.runAndWait({
      taskSuiteId: suiteId,
      agents: [...agents],
      concurrency: 2,
    })
    const verdicts = new Map<string, boolean | null>()
    for await (const { agent, taskTitle, passed } of client.evaluations.listTrials(job.id))
      verdicts.set(`${agent} ${taskTitle}`, passed)
    return { jobId: job.id, verdicts }
  }
  const agentsOf = (name: string) => [`oracle-${name}@1`, `meddler-${name}@1`, 'idle@1']

  before(async () => {
    service = await testService()
    client = createClient({ baseUrl: service.baseUrl, apiKey: service.key })
    await client.agents.register({ name: 'idle', version: '1', run: { command: idleCommand } })
    const careful = filesIn(here('examples/agents/careful'), '')
    const careless = filesIn(here('examples/agents/careless'), 'careless/')
    for (const name of ['sample', 'tallow-street-payments', 'copperline-brewing-supply']) {
      const isSample = name === 'sample'
      const blueprint = isSample
        ? await client.worlds.sampleBlueprint()
        : JSON.parse(readFileSync(here(`examples/blueprints/${name}.json`), 'utf8'))
      const files = isSample
        ? { ...careful, ...careless }
        : { ...filesIn(join(oracles, name), `${name}/`), ...filesIn(oracles, '') }
      const right = isSample ? 'node agent.mjs' : `node ${name}/agent.mjs`
      const wrong = isSample ? 'node careless/agent.mjs' : `${right} && node meddle.mjs`
      for (const [role, command] of [
        ['oracle', right],
        ['meddler', wrong],
      ] as const)
        await client.agents.register({ name: `${role}-${name}`, version: '1', files, run: { command } })
      const world = await client.worlds.launchAndWait({ blueprint, ttlHours: 1 })
      const suiteId = world.evaluation?.taskSuiteId ?? ''
      const { verdicts, jobId } = await verdictsOf(suiteId, agentsOf(name))
      const archive = await client.suites.exportHarbor(suiteId, { oracle: `oracle-${name}@1` })
      const folder = join(root, name)
      writeAll(folder, await readArchive(archive))
      companies.push({ name, suiteId, oracle: `oracle-${name}@1`, verdicts, folder, jobId })
    }
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    rmSync(root, { recursive: true, force: true })
  })

  it('are imported again by the command line and give every agent the same verdicts', async () => {
    let tasks = 0
    for (const { name, folder, verdicts } of companies) {
      const main = here('cli/main.ts')
      const { stdout } = await run(
        process.execPath,
        [main, 'suite', 'import', '--harbor', folder, '--json'],
        {
          env: { PATH: process.env.PATH, DIORAMA_BASE_URL: service.baseUrl, DIORAMA_API_KEY: service.key },
        },
      )
      const made = JSON.parse(stdout)
      assert.deepEqual(made.refused, [])
      tasks += made.tasks.length
      const again = await verdictsOf(made.suite.id, agentsOf(name))
      assert.deepEqual(new Map([...again.verdicts].sort()), new Map([...verdicts].sort()))
      assert.ok([...verdicts.values()].includes(true) && [...verdicts.values()].includes(false))
    }
    assert.ok(tasks >= 10, `there are only ${tasks} tasks`)
  })

  it('reach the verdict of the trial through the sidecar, the solution and the verifier', async () => {
    const [company] = companies
    assert.ok(company)
    for (const task of readdirSync(company.folder, { withFileTypes: true }).filter((one) =>
      one.isDirectory(),
    )) {
      const folder = join(company.folder, task.name)
      const place = mkdtempSync(join(root, 'run-'))
      const rewards = await graded(folder, place)
      const { title } = JSON.parse(readFileSync(join(folder, 'tests/diorama/task.json'), 'utf8')).task
      assert.equal(rewards.reward === 1, company.verdicts.get(`${company.oracle} ${title}`), task.name)
      assert.equal(rewards.reward, 1, task.name)
    }
  })

  /** What the containers of a task do, as processes here: sidecar, oracle, collection, verifier. */
  const graded = async (folder: string, place: string): Promise<{ readonly reward: number }> => {
    const env = {
      PATH: process.env.PATH,
      DIORAMA_BASE_URL: service.baseUrl,
      DIORAMA_API_KEY: service.key,
      DIORAMA_DATA_DIR: join(place, 'data'),
    }
    const words = [here('cli/main.ts'), 'harbor']
    const blueprint = join(folder, 'environment/diorama/world.json')
    const paths = ['--clients', join(place, 'clients'), '--out', join(place, 'world')]
    const serving = [...words, 'serve', blueprint, '--port', '0', '--host', '127.0.0.1', ...paths]
    const sidecar = spawn(process.execPath, serving, { env, stdio: ['ignore', 'ignore', 'pipe'] })
    const ended = new Promise((resolve) => sidecar.on('exit', resolve))
    try {
      await new Promise<void>((resolve, reject) => {
        let said = ''
        sidecar.stderr.on('data', (chunk) => {
          said += chunk
          if (said.includes('is served on port')) resolve()
        })
        sidecar.on('exit', () => reject(new Error(`the sidecar ended: ${said}`)))
      })
      // The paths of the containers, as they are in this place.
      const solve = readFileSync(join(folder, 'solution/solve.sh'), 'utf8')
        .replaceAll('/solution/', `${folder}/solution/`)
        .replaceAll('/logs/artifacts', join(place, 'artifacts'))
        .replaceAll('/diorama/world.env', join(place, 'clients/world.env'))
      writeFileSync(join(place, 'solve.sh'), solve)
      await run('sh', [join(place, 'solve.sh')], { env: { PATH: process.env.PATH } })
      await run(process.execPath, [...words, 'collect'], { env })
    } finally {
      sidecar.kill('SIGTERM')
      await ended
    }
    const [, entry = ''] =
      /node \/tests\/(\S+)/.exec(readFileSync(join(folder, 'tests/test.sh'), 'utf8')) ?? []
    const tests = join(folder, 'tests/diorama')
    await run(process.execPath, [
      join(folder, 'tests', entry),
      ...['--task', join(tests, 'task.json'), '--scripts', join(tests, 'scripts')],
      ...['--world', join(place, 'world'), '--output', join(place, 'artifacts/output.txt')],
      ...['--rewards', join(place, 'rewards')],
    ])
    return JSON.parse(readFileSync(join(place, 'rewards/reward.json'), 'utf8'))
  }

  it("are read by Harbor's own package: task, policies, digests, lint; and so is a trajectory", async (context) => {
    const python = await harborPython(join(root, 'venv'))
    if ('unavailable' in python) return context.skip(python.unavailable)
    for (const { folder, jobId } of companies) {
      const trajectory = join(root, 'trajectory.json')
      const [trial] = (await client.evaluations.listTrials(jobId, { limit: 1 })).items
      writeFileSync(trajectory, await client.evaluations.trajectory(jobId, trial?.id ?? ''))
      const { stdout } = await run(python.path, ['-c', reader, folder, trajectory])
      const read = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
      const names = readdirSync(folder, { withFileTypes: true }).filter((one) => one.isDirectory())
      assert.equal(read.tasks.length, names.length)
      assert.ok(read.steps >= 2)
      for (const task of read.tasks) {
        assert.equal(task.digest, task.listed)
        assert.deepEqual(
          [task.agent, task.hosts, task.verifier, task.mode, task.solved, task.bundled],
          ['allowlist', ['diorama'], 'no-network', 'separate', true, true],
        )
        assert.ok(
          task.servers.length > 0 && task.servers.every((url: string) => url.includes('diorama:8000/mcp/')),
        )
        // Images have no digest here, and Compose is not on every machine; anything else would be a mistake of ours.
        assert.deepEqual(
          task.findings.filter((one: string) => !/unpinned|compose/i.test(one)),
          [],
        )
      }
    }
  })
})

const reader = `
import json, sys
from pathlib import Path
from harbor.lint.task import lint_task
from harbor.models.dataset.manifest import DatasetManifest
from harbor.models.task.task import Task
from harbor.models.task.verifier_mode import resolve_task_verifier_mode, resolve_verifier_environment_definition
from harbor.models.trajectories import Trajectory
from harbor.publisher.packager import Packager

root = Path(sys.argv[1])
manifest = DatasetManifest.from_toml_file(root / "dataset.toml")
listed = {task.short_name: task.digest for task in manifest.tasks}
tasks = []
for folder in sorted(path for path in root.iterdir() if path.is_dir()):
    assert Task.is_valid_dir(folder), folder
    task = Task(folder)
    config = task.config
    separate = resolve_verifier_environment_definition(config, task.paths)
    try:
        findings = [f"{one.rule.value}: {one.message}" for one in lint_task(folder)]
    except Exception as error:
        findings = [f"compose: {error}"]
    tasks.append({
        "agent": config.environment.network_mode.value,
        "hosts": config.environment.allowed_hosts,
        "verifier": separate.config.network_mode.value,
        "bundled": separate.bundled_tests,
        "mode": resolve_task_verifier_mode(config).value,
        "servers": [server.url for server in config.environment.mcp_servers],
        "solved": task.paths.discovered_solve_path is not None,
        "digest": "sha256:" + Packager.compute_content_hash(folder)[0],
        "listed": listed[folder.name],
        "findings": findings,
    })
trajectory = Trajectory.model_validate_json(Path(sys.argv[2]).read_text())
print(json.dumps({"tasks": tasks, "steps": len(trajectory.steps)}))
`

/** A Python of at least 3.12 with the package; where a mirror lacks one of its newest dependencies, with older ones. */
const harborPython = async (folder: string): Promise<{ path: string } | { unavailable: string }> => {
  const versions = join(homedir(), '.pyenv', 'versions')
  const installed = await Promise.resolve()
    .then(() => readdirSync(versions).map((name) => join(versions, name, 'bin', 'python3')))
    .catch(() => [])
  let reason = 'there is no Python 3.12 or newer here'
  for (const python of ['python3', 'python3.13', 'python3.12', ...installed]) {
    const isNewEnough = await run(python, ['-c', 'import sys; sys.exit(sys.version_info < (3, 12))']).then(
      () => true,
      () => false,
    )
    if (!isNewEnough) continue
    try {
      await run(python, ['-m', 'venv', folder])
      const path = join(folder, 'bin', 'python')
      const install = (...words: string[]) =>
        run(path, ['-m', 'pip', '-q', 'install', ...words], { timeout: 600_000 })
      await install('harbor==0.25.0').catch(async () => {
        await install('--no-deps', 'harbor==0.25.0')
        await install(...dependencies)
      })
      await run(path, ['-c', 'import harbor.models.task.task, harbor.lint.task'])
      return { path }
    } catch (error) {
      reason = String(error).slice(0, 300)
    }
  }
  return { unavailable: `harbor could not be installed: ${reason}` }
}

/** What the modules that are used here import. */
const dependencies = [
  ...['pydantic', 'toml', 'pyyaml', 'pathspec', 'dirhash', 'packaging', 'shortuuid', 'jsonschema', 'rich'],
  ...[
    'tenacity',
    'httpx',
    'filelock',
    'platformdirs',
    'python-dotenv',
    'jinja2',
    'typer',
    'semver',
    'requests',
  ],
]
