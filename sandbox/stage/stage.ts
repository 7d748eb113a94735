import { execFile } from 'node:child_process'
import {
  chmod,
  constants,
  copyFile,
  cp,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { javaTrustStore } from '../gateway/java-trust-store.ts'
import type { SandboxLog, StoryLibrary } from '../sandbox.ts'
import { placeStoryLibrary } from '../story/story-library.ts'
import { isAbandoned } from './abandoned.ts'
import { HiddenFolders } from './hidden-folders.ts'
import type { Interpreters } from './interpreters.ts'
import { findSystemView, isWithin, type SystemView, socketsWithin, viewArguments } from './system-view.ts'

const stagePrefix = 'diorama-sandbox-'
/** All our names in the folders we share with others; the process that made one is named next. */
const ownName = /^diorama-(?:sandbox|gateway|job|starter|story)-(\d+)-/
const scriptSources = [
  new URL('../starter/starter.py', import.meta.url),
  new URL('../inside/launcher.py', import.meta.url),
  new URL('../inside/acp_client.py', import.meta.url),
  new URL('../inside/collection.py', import.meta.url),
  new URL('../inside/image_folders.py', import.meta.url),
  new URL('../inside/confinement.py', import.meta.url),
  new URL('../inside/relay.py', import.meta.url),
  new URL('../inside/story.py', import.meta.url),
  new URL('../preload/redirect.mjs', import.meta.url),
  new URL('../verifier/runner.py', import.meta.url),
  new URL('../verifier/runner.mjs', import.meta.url),
  new URL('../verifier/world_state.py', import.meta.url),
  new URL('../verifier/timeline.py', import.meta.url),
  new URL('../verifier/quick_json.py', import.meta.url),
]

/** Where our own scripts and Node are found inside every sandbox. */
export const insidePaths = { scripts: '/opt/sandbox', node: '/opt/node/bin/node' } as const

/**
 * The files that every sandbox of one driver sees: a synthetic /etc, our scripts, the interpreters. Nothing in it is
 * secret.
 */
export class Stage implements AsyncDisposable {
  readonly folder: string
  readonly hidden: HiddenFolders
  readonly view: SystemView
  /** The interpreter that jobs get, at a path that tells nothing of ours. */
  readonly node: string
  readonly storyLibrary: StoryLibrary
  /** By authorities, then by hosts: the long text is compared only with itself. */
  readonly #etc = new Map<string, Map<string, Promise<string>>>()
  readonly #authorities = new Map<string, Promise<string>>()
  #etcs = 0

  constructor(parts: { folder: string; view: SystemView; node: string; storyLibrary: StoryLibrary }) {
    this.folder = parts.folder
    this.hidden = new HiddenFolders(join(parts.folder, 'aside'))
    this.view = parts.view
    this.node = parts.node
    this.storyLibrary = parts.storyLibrary
  }

  /** The script of the process that starts jobs, where it is seen even if our own folder is a hidden one. */
  get starter(): string {
    return join(this.folder, 'scripts', 'starter.py')
  }

  /** bwrap arguments for the read-only system. */
  async systemArguments(): Promise<string[]> {
    const args = viewArguments(this.view)
    for (const socket of await socketsWithin(this.view)) args.push('--ro-bind', '/dev/null', socket)
    args.push('--ro-bind', join(this.folder, 'scripts'), insidePaths.scripts)
    args.push('--ro-bind', this.node, insidePaths.node)
    return args
  }

  /** A read-only /etc with these names on loopback and these authorities; made once for each combination. */
  etc(hosts: readonly string[], authorities: string): Promise<string> {
    const byHosts = this.#etc.get(authorities) ?? new Map<string, Promise<string>>()
    this.#etc.set(authorities, byHosts)
    const names = hosts.join(' ')
    const known = byHosts.get(names)
    if (known) return known
    this.#etcs++
    const made = writeEtc(join(this.folder, `etc-${this.#etcs}`), {
      hosts,
      authorities: this.#authoritiesFile(authorities),
    })
    byHosts.set(names, made)
    return made
  }

  /** The long list is written once; each /etc has it by a link. */
  #authoritiesFile(authorities: string): Promise<string> {
    const known = this.#authorities.get(authorities)
    if (known) return known
    const path = join(this.folder, `authorities-${this.#authorities.size}.pem`)
    const made = writeFile(path, authorities)
      .then(() => writeFile(`${path}.jks`, javaTrustStore(authorities)))
      .then(() => path)
    this.#authorities.set(authorities, made)
    return made
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hidden[Symbol.asyncDispose]()
    await rm(this.folder, { recursive: true, force: true })
  }
}

export interface StageOptions {
  readonly interpreters: Interpreters
  /** The service's own folder; jobs do not see it. */
  readonly stateDir: string
  readonly hidden: readonly string[]
  readonly log: SandboxLog
}

/**
 * Its folder lies among the temporary files: a job finds the host's path of whatever is mounted for it in
 * /proc/self/mountinfo, and must not learn from that where the service and its data are.
 */
export const openStage = async ({ interpreters, stateDir, hidden, log }: StageOptions): Promise<Stage> => {
  await mkdir(resolve(stateDir), { recursive: true })
  for (const place of new Set([resolve(stateDir), tmpdir()])) await removeAbandoned(place)
  const view = await findSystemView({ interpreters, hidden: [stateDir, ...hidden] })
  const folder = await mkdtemp(join(tmpdir(), `${stagePrefix}${process.pid}-`))
  const scripts = join(folder, 'scripts')
  await mkdir(scripts, { recursive: true })
  for (const script of scriptSources) {
    const source = fileURLToPath(script)
    await copyFile(source, join(scripts, basename(source)))
  }
  // Their types are taken out here once, so that no scorer waits for it.
  for (const name of ['world-state', 'timeline']) {
    const helper = fileURLToPath(new URL(`../verifier/${name}.ts`, import.meta.url))
    const text = await withoutTypes(helper)
    await writeFile(join(scripts, `${name}.mjs`), text.replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.mjs'"))
  }
  if (interpreters.python) await compiled(interpreters.python.executable, scripts)
  await chmod(folder, 0o755)
  const node = await neutralNode({ node: interpreters.node, folder, view, log })
  const storyLibrary = await placeStoryLibrary(scripts)
  if (storyLibrary.from === 'none')
    log(
      { event: 'sandbox.no_story_time', reason: storyLibrary.reason },
      'programs in trials do not see the story’s time; they can use the wait endpoint',
    )
  const stage = new Stage({ folder, view, node, storyLibrary })
  await stage.hidden.hold()
  for (const path of [node, ...(interpreters.python?.prefixes ?? [])]) await stage.hidden.show(path)
  return stage
}

/** Node where its path tells nothing: a system's own, or a hard link or copy of the checkout's in the stage. */
const neutralNode = async (parts: {
  node: string
  folder: string
  view: SystemView
  log: SandboxLog
}): Promise<string> => {
  const { node, folder, view, log } = parts
  if (view.shown.some(({ source }) => isWithin(node, source))) return node
  if (await isNoExec(folder)) {
    log(
      { event: 'sandbox.node_path_visible', folder },
      'programs cannot run from the temporary folder, so jobs can read the path of Node in their mount table',
    )
    return node
  }
  const neutral = join(folder, 'bin', 'node')
  await mkdir(join(folder, 'bin'))
  await link(node, neutral).catch(() => copyFile(node, neutral, constants.COPYFILE_FICLONE))
  return neutral
}

/** Whether the mount that holds a folder forbids to execute files. */
const isNoExec = async (folder: string): Promise<boolean> => {
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => line.split(' '))
  const holding = mounts
    .filter(([, , , , place]) => place !== undefined && isWithin(folder, place))
    .sort(([, , , , a = ''], [, , , , b = '']) => a.length - b.length)
    .at(-1)
  return holding?.[5]?.split(',').includes('noexec') ?? false
}

const withoutTypes = async (path: string): Promise<string> => {
  const program =
    'const { stripTypeScriptTypes } = require("node:module"); ' +
    'process.stdout.write(stripTypeScriptTypes(require("node:fs").readFileSync(process.argv[1], "utf8")))'
  const args = ['--disable-warning=ExperimentalWarning', '-e', program, path]
  return (await promisify(execFile)(process.execPath, args, { timeout: 30_000, env: {} })).stdout
}

/** Python compiles a script at each start unless it finds this done. */
const compiled = async (python: string, folder: string): Promise<void> => {
  const program =
    'import compileall, py_compile, sys; ' +
    'mode = py_compile.PycInvalidationMode.UNCHECKED_HASH; ' +
    'sys.exit(not compileall.compile_dir(sys.argv[1], quiet=1, invalidation_mode=mode))'
  await promisify(execFile)(python, ['-I', '-S', '-c', program, folder], { timeout: 30_000, env: {} })
}

/** A process that was killed leaves its folders behind; the next one sweeps them. */
const removeAbandoned = async (place: string): Promise<void> => {
  for (const name of await readdir(place)) {
    const owner = ownName.exec(name)?.[1]
    if (!owner || !(await isAbandoned(join(place, name), Number(owner)))) continue
    await rm(join(place, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

const writeEtc = async (
  folder: string,
  parts: { hosts: readonly string[]; authorities: Promise<string> },
): Promise<string> => {
  await mkdir(join(folder, 'ssl/certs'), { recursive: true })
  for (const name of ['pki/tls/certs', 'pki/java', 'ssl/certs/java'])
    await mkdir(join(folder, name), { recursive: true })
  const concrete = parts.hosts.filter((host) => !host.includes('*'))
  const text: Record<string, string> = {
    passwd: 'agent:x:1000:1000:agent:/home/agent:/bin/sh\n',
    group: 'agent:x:1000:\n',
    hosts: ['127.0.0.1 localhost', '::1 localhost', ...concrete.map((host) => `127.0.0.1 ${host}`), ''].join(
      '\n',
    ),
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
    // The relay answers names on loopback; without one nothing listens there and lookups fail at once.
    'resolv.conf': 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n',
    hostname: 'sandbox\n',
  }
  for (const [name, content] of Object.entries(text)) await writeFile(join(folder, name), content)
  for (const name of ['ssl/cert.pem', 'ssl/certs/ca-certificates.crt', 'pki/tls/certs/ca-bundle.crt'])
    await link(await parts.authorities, join(folder, name))
  // Where the packages of distributions keep Java's trust store, which Java reads instead of the system's.
  for (const name of ['ssl/certs/java/cacerts', 'pki/java/cacerts'])
    await link(`${await parts.authorities}.jks`, join(folder, name))
  for (const name of ['ld.so.cache', 'services', 'protocols', 'ssl/openssl.cnf']) {
    await copyFile(join('/etc', name), join(folder, name)).catch(() => undefined)
  }
  await cp('/etc/alternatives', join(folder, 'alternatives'), {
    recursive: true,
    verbatimSymlinks: true,
  }).catch(() => undefined)
  // Java of a distribution has its settings here, and does not start without them.
  for (const name of (await readdir('/etc')).filter((entry) => /^java(-|$)/.test(entry)))
    await cp(join('/etc', name), join(folder, name), {
      recursive: true,
      verbatimSymlinks: true,
    }).catch(() => undefined)
  await symlink('/usr/share/zoneinfo/Etc/UTC', join(folder, 'localtime'))
  return folder
}
