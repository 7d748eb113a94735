import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { PackageManager } from '@diorama/contract'
import { type Authority, mergedAuthorities } from '@diorama/sandbox/gateway/authority'
import { openGateway } from '@diorama/sandbox/gateway/gateway'
import type { Route } from '@diorama/sandbox/gateway/options'
import { agentLimits, type Sandbox, type SandboxLimits } from '@diorama/sandbox/sandbox'
import { findExecutable } from '@diorama/sandbox/stage/interpreters'
import type { DependencyLock } from './lock-files.ts'

/** Where packages come from, by package manager; an operator names them. */
export type Registries = Readonly<Partial<Record<PackageManager, string>>>

export interface InstallDeps {
  readonly sandbox: () => Promise<Sandbox>
  readonly authority: () => Promise<Authority>
  readonly registries: Registries
  readonly searchPath: string
  readonly random: (bytes: number) => Uint8Array
}

export type Installation =
  | { readonly archive: Uint8Array; readonly log: string }
  | { readonly failed: string; readonly log: string }

export const maxArchiveBytes = 256 * 1_048_576
const archiveFile = 'dependencies.tar.gz'
const maxLogCharacters = 20_000
/** The file of a registry's pages is at another host than the pages. */
const fileHosts: Readonly<Record<string, readonly string[]>> = { 'pypi.org': ['files.pythonhosted.org'] }
const hostOf: Readonly<Record<PackageManager, string>> = { npm: 'npm.registry', pip: 'pip.registry' }
export const installTimeoutMs = 600_000

const limits: SandboxLimits = {
  ...agentLimits,
  wallMs: installTimeoutMs,
  fileBytes: maxArchiveBytes,
  workBytes: maxArchiveBytes + 1_048_576,
}

/** Where Python's packages are in the home of the agent. */
export const pythonFolder = 'python_packages'

/**
 * Installs what a lock lists, in a separate sandbox. The package managers read files that an agent's author wrote, and
 * packages may run code: so all that the sandbox reaches is the registry, and all that leaves it is one archive.
 */
export const install = async (
  deps: InstallDeps,
  lock: DependencyLock,
  signal: AbortSignal,
): Promise<Installation> => {
  const barred = lock.managers.find((manager) => deps.registries[manager] === undefined)
  if (barred) return { failed: notAllowed(barred), log: '' }
  const npm = lock.managers.includes('npm') ? await findNpm(deps.searchPath) : undefined
  if (lock.managers.includes('npm') && npm === undefined)
    return { failed: 'The program npm is not installed on the machine of the worker.', log: '' }
  const sandbox = await deps.sandbox()
  const routes = routesOf(lock.managers, deps.registries)
  const refused = new Set<string>()
  const isOpen = sandbox.isolation === 'process'
  const authority = await deps.authority()
  await using gateway = await openGateway({
    authority,
    route: (host) => routes.get(host),
    onRequest: () => Promise.reject(new Error('There are no services here.')),
    onStep: ({ outcome, host, reason }) => {
      if (outcome === 'refused' || outcome === 'failed') refused.add(`${host}: ${reason ?? ''}`)
    },
    ...(isOpen ? { loopbackSecret: Buffer.from(deps.random(18)).toString('base64url') } : {}),
  })
  const program = npm === undefined ? undefined : npmPlace(npm, isOpen)
  const outcome = await sandbox.run(
    {
      command: ['/bin/sh', '-c', script(lock, program?.cli ?? '')],
      files: lock.files,
      env: () => ({ PIP_CONFIG_FILE: '/dev/null', npm_config_update_notifier: 'false' }),
      limits,
      network: {
        gatewaySocket: gateway.socketPath,
        hosts: [...routes.keys()],
        authorities: await mergedAuthorities(authority),
        ...(gateway.loopbackUrl === undefined ? {} : { gatewayUrl: gateway.loopbackUrl }),
      },
      ...(program?.shown ? { readOnly: program.shown } : {}),
      collect: { maxFiles: 1, maxBytes: maxArchiveBytes },
    },
    signal,
  )
  const log = `${outcome.stdout.text}\n${outcome.stderr.text}`.trim().slice(-maxLogCharacters)
  const [file] = outcome.collected.files
  if (outcome.ended === 'exited' && outcome.exitCode === 0 && file) return { archive: file.bytes, log }
  return { failed: whyFailed(outcome, [...refused]), log }
}

export const notAllowed = (manager: PackageManager): string =>
  `This deployment installs no packages with ${manager}: an operator allows it with DIORAMA_PACKAGE_REGISTRIES. Put the packages into the bundle instead.`

const whyFailed = (
  { ended, exitCode }: { readonly ended: string; readonly exitCode: number | null },
  refused: readonly string[],
): string => {
  const outside =
    refused.length === 0 ? '' : ` Not reached: ${refused.slice(0, 5).join('; ')}`.slice(0, 1_000)
  if (ended === 'timeout') return `The installation did not end within ${installTimeoutMs / 1_000} seconds.`
  if (ended === 'memory') return 'The installation used more memory than it may.'
  if (ended === 'files') return 'The packages are more files than a trial may have.'
  if (exitCode === 0 || exitCode === tooLarge)
    return `The packages are larger than ${maxArchiveBytes / 1_048_576} MiB when packed.`
  return `The installation failed (${ended === 'exited' ? `exit code ${exitCode}` : ended}); its log says why.${outside}`
}

const tooLarge = 97

/** Requests to the names inside go to the registries; to no other host does a request go at all. */
const routesOf = (managers: readonly PackageManager[], registries: Registries): Map<string, Route> => {
  const routes = new Map<string, Route>()
  for (const manager of managers) {
    const origin = registries[manager]
    if (origin === undefined) continue
    const { hostname, origin: root } = new URL(origin)
    routes.set(hostname, { kind: 'forward', origin: root, allowPrivate: true })
    for (const host of fileHosts[hostname] ?? [])
      routes.set(host, { kind: 'forward', origin: `https://${host}` })
    routes.set(hostOf[manager], { kind: 'forward', origin: origin.replace(/\/$/, ''), allowPrivate: true })
  }
  return routes
}

const script = ({ managers, scripts }: DependencyLock, npmCli: string): string => {
  const npm = [
    `node "${npmCli}" ci --omit=dev --no-audit --no-fund --cache=/tmp/npm-cache --userconfig=/tmp/no-user-config`,
    `--globalconfig=/tmp/no-global-config --registry=https://${hostOf.npm}/ --replace-registry-host=always`,
    scripts ? '--foreground-scripts' : '--ignore-scripts',
  ]
  const pip = [
    'python3 -m pip --isolated install --require-hashes --no-input --no-cache-dir --no-compile',
    `--disable-pip-version-check --cert "$PIP_CERT" --index-url https://${hostOf.pip}/`,
    scripts ? '' : '--only-binary=:all:',
    `--target ${pythonFolder} -r requirements.txt`,
  ]
  const folders = managers.map((manager) => (manager === 'npm' ? 'node_modules' : pythonFolder))
  return [
    'set -e',
    'cd "$HOME"',
    ...(managers.includes('npm') ? [npm.join(' ')] : []),
    ...(managers.includes('pip') ? [pip.join(' ')] : []),
    `mkdir -p ${folders.join(' ')}`,
    // The same packages make the same bytes, which are stored once.
    `tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - ${folders.join(' ')} | gzip -n -6 > "$WORK_DIR/${archiveFile}" || exit ${tooLarge}`,
  ].join('\n')
}

/** The program behind the link that a search path has. */
const findNpm = async (searchPath: string): Promise<string | undefined> => {
  const found = await findExecutable('npm', searchPath)
  const cli = found && (await realpath(found))
  return cli?.endsWith('npm-cli.js') ? cli : undefined
}

/** What is not part of the system is shown at a path that tells nothing of this machine. */
const npmPlace = (cli: string, isOpen: boolean): { cli: string; shown?: Record<string, string> } => {
  if (cli.startsWith('/usr/')) return { cli }
  const folder = dirname(dirname(cli))
  if (isOpen) return { cli, shown: { [folder]: folder } }
  return { cli: join('/opt/npm', 'bin', 'npm-cli.js'), shown: { '/opt/npm': folder } }
}

/** What an installation depends on beside its lock: packages hold programs of one system and one interpreter. */
export const platformOf = async (sandbox: Sandbox): Promise<string> => {
  const program = 'import platform; print(platform.python_version(), *platform.libc_ver())'
  const { stdout } = await sandbox.run({
    command: ['python3', '-c', program],
    limits: { ...agentLimits, wallMs: 60_000 },
    network: 'none',
  })
  return `${process.platform}-${process.arch} node ${process.versions.node} python ${stdout.text.trim()}`
}
