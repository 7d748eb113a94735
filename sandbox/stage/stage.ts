import { execFile } from 'node:child_process'
import {
  chmod,
  copyFile,
  cp,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isAbandoned } from './abandoned.ts'
import { closedFolderAbove, HiddenFolders } from './hidden-folders.ts'
import type { Interpreters } from './interpreters.ts'

const stagePrefix = 'diorama-sandbox-'
/** All our names in the folders we share with others; the process that made one is named next. */
const ownName = /^diorama-(?:sandbox|gateway|job|starter)-(\d+)-/
const scriptSources = [
  new URL('../starter/starter.py', import.meta.url),
  new URL('../inside/launcher.py', import.meta.url),
  new URL('../inside/collection.py', import.meta.url),
  new URL('../inside/confinement.py', import.meta.url),
  new URL('../inside/relay.py', import.meta.url),
  new URL('../preload/redirect.mjs', import.meta.url),
  new URL('../verifier/runner.py', import.meta.url),
  new URL('../verifier/runner.mjs', import.meta.url),
  new URL('../verifier/world_state.py', import.meta.url),
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
  readonly #interpreters: Interpreters
  /** By authorities, then by hosts: the long text is compared only with itself. */
  readonly #etc = new Map<string, Map<string, Promise<string>>>()
  readonly #authorities = new Map<string, Promise<string>>()
  #etcs = 0

  constructor(folder: string, interpreters: Interpreters) {
    this.folder = folder
    this.hidden = new HiddenFolders(join(folder, 'aside'))
    this.#interpreters = interpreters
  }

  /** The script of the process that starts jobs, where it is seen even if our own folder is a hidden one. */
  get starter(): string {
    return join(this.folder, 'scripts', 'starter.py')
  }

  /** bwrap arguments for the read-only system: the same in each job. */
  async systemArguments(): Promise<string[]> {
    const args = ['--ro-bind', '/usr', '/usr']
    for (const folder of ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']) {
      const found = await lstat(folder).catch(() => undefined)
      if (found?.isSymbolicLink()) args.push('--symlink', `usr${folder}`, folder)
      else if (found) args.push('--ro-bind', folder, folder)
    }
    args.push('--ro-bind', join(this.folder, 'scripts'), insidePaths.scripts)
    args.push('--ro-bind', this.#interpreters.node, insidePaths.node)
    for (const prefix of this.#interpreters.python?.prefixes ?? []) args.push('--ro-bind', prefix, prefix)
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
    const made = writeFile(path, authorities).then(() => path)
    this.#authorities.set(authorities, made)
    return made
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hidden[Symbol.asyncDispose]()
    await rm(this.folder, { recursive: true, force: true })
  }
}

export const openStage = async (interpreters: Interpreters, stateDir: string): Promise<Stage> => {
  const ours = resolve(stateDir)
  await mkdir(ours, { recursive: true })
  const isHidden =
    process.getuid?.() === 0 && (await closedFolderAbove(join(ours, stagePrefix))) !== undefined
  for (const place of [ours, tmpdir()]) await removeAbandoned(place)
  const folder = await mkdtemp(join(isHidden ? tmpdir() : ours, `${stagePrefix}${process.pid}-`))
  const scripts = join(folder, 'scripts')
  await mkdir(scripts, { recursive: true })
  for (const script of scriptSources) {
    const source = fileURLToPath(script)
    await copyFile(source, join(scripts, basename(source)))
  }
  // Its types are taken out here once, so that no scorer waits for it.
  const helper = fileURLToPath(new URL('../verifier/world-state.ts', import.meta.url))
  await writeFile(join(scripts, 'world-state.mjs'), await withoutTypes(helper))
  if (interpreters.python) await compiled(interpreters.python.executable, scripts)
  await chmod(folder, 0o755)
  const stage = new Stage(folder, interpreters)
  await stage.hidden.hold()
  const { node, python } = interpreters
  for (const path of [node, ...(python?.prefixes ?? [])]) await stage.hidden.show(path)
  return stage
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
  await mkdir(join(folder, 'pki/tls/certs'), { recursive: true })
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
  for (const name of ['ld.so.cache', 'services', 'protocols', 'ssl/openssl.cnf']) {
    await copyFile(join('/etc', name), join(folder, name)).catch(() => undefined)
  }
  await cp('/etc/alternatives', join(folder, 'alternatives'), {
    recursive: true,
    verbatimSymlinks: true,
  }).catch(() => undefined)
  await symlink('/usr/share/zoneinfo/Etc/UTC', join(folder, 'localtime'))
  return folder
}
