import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const lists = '/etc/apt/sources.list.d'
const probeSeconds = '60'

/** Where the distributions serve their packages, for machines whose own sources name no usable mirror. */
const published: Readonly<Record<string, string>> = {
  debian: 'http://deb.debian.org/debian',
  ubuntu: `http://${process.arch === 'x64' ? 'archive.ubuntu.com/ubuntu' : 'ports.ubuntu.com/ubuntu-ports'}`,
}

export interface Mirror {
  readonly suite: string
  readonly address: string
}

/** The addresses that apt is configured with, then the published one. */
const candidates = (id: string): string[] => {
  const files = [
    '/etc/apt/sources.list',
    ...(existsSync(lists) ? readdirSync(lists) : []).map((name) => join(lists, name)),
  ]
  const texts = files.filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8'))
  const configured = texts.flatMap(
    (text) => text.replaceAll(/^\s*#.*$/gm, '').match(/https?:\/\/[^\s\]]+/g) ?? [],
  )
  return [...new Set([...configured, published[id] ?? ''].map((address) => address.replace(/\/$/, '')))]
}

/** The first mirror of the machine's own distribution that answers wget, which is what debootstrap uses. */
export const findMirror = async (): Promise<Mirror> => {
  const release = readFileSync('/etc/os-release', 'utf8')
  const field = (name: string) => new RegExp(`^${name}="?(\\w+)"?$`, 'm').exec(release)?.[1] ?? ''
  const [id, suite] = [field('ID'), field('VERSION_CODENAME')]
  if (!(id in published) || suite === '') throw new Error('the machine runs neither Debian nor Ubuntu')
  let cause: unknown
  for (const address of candidates(id))
    try {
      const words = [
        '-q',
        '-O',
        '-',
        '--tries=2',
        `--timeout=${probeSeconds}`,
        `${address}/dists/${suite}/Release`,
      ]
      const { stdout } = await run('wget', words)
      if (/^Origin: (Debian|Ubuntu)$/m.test(stdout)) return { suite, address }
    } catch (error) {
      cause = error
    }
  throw new Error(`no mirror of ${id} ${suite} can be reached`, { cause })
}

/** debootstrap is a shell script: where it is not installed, its package is unpacked beside the root. */
export const findDebootstrap = async (
  place: string,
): Promise<{ program: string; env: Record<string, string> }> => {
  if (existsSync('/usr/sbin/debootstrap')) return { program: '/usr/sbin/debootstrap', env: {} }
  await run('apt-get', ['download', 'debootstrap'], { cwd: place })
  const archive = readdirSync(place).find((name) => name.startsWith('debootstrap_')) ?? ''
  await run('dpkg', ['-x', archive, 'debootstrap'], { cwd: place })
  return {
    program: join(place, 'debootstrap/usr/sbin/debootstrap'),
    env: { DEBOOTSTRAP_DIR: join(place, 'debootstrap/usr/share/debootstrap') },
  }
}
