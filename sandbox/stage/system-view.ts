import { lstat, readdir, readFile, readlink, realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Interpreters } from './interpreters.ts'

/** The parts of a system that interpreters and tools need. Sources, data and sockets have no place in them. */
const systemFolders = [
  ...['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'],
  ...['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'libexec', 'share', 'include'].flatMap((name) => [
    `/usr/${name}`,
    `/usr/local/${name}`,
  ]),
]
/** Of an interpreter whose prefix is also a folder that must stay hidden, such as a checkout with a venv in its root. */
const prefixParts = ['bin', 'lib', 'lib64', 'include', 'share', 'pyvenv.cfg']
const checkout = fileURLToPath(new URL('../..', import.meta.url))

interface Shown {
  /** Where it really is, without links. */
  readonly source: string
  /** Where jobs find it. */
  readonly target: string
}

/** What jobs see of this machine, read-only. */
export interface SystemView {
  readonly shown: readonly Shown[]
  /** Links between the folders that are shown, by their path. */
  readonly links: Readonly<Record<string, string>>
  /** Paths below the folders that are shown, which jobs must not see. */
  readonly masked: readonly string[]
}

export interface SystemViewOptions {
  readonly interpreters: Interpreters
  /** Folders that no job may see, wherever they are: the data folder, the state folder. */
  readonly hidden: readonly string[]
}

/** Shows what interpreters need and masks what is the service's; throws where the two cannot be distinguished. */
export const findSystemView = async ({ interpreters, hidden }: SystemViewOptions): Promise<SystemView> => {
  const secret = await Promise.all([checkout, tmpdir(), ...hidden].map(realPath))
  const view = await systemPart()
  for (const { source, target } of view.shown)
    for (const folder of secret)
      if (isWithin(source, folder))
        throw new Error(
          `${folder} holds ${target}, which every job needs; move the service's files elsewhere`,
        )
  for (const prefix of interpreters.python?.prefixes ?? []) {
    const source = await realPath(prefix)
    if (
      prefix === '/usr' ||
      prefix === '/usr/local' ||
      view.shown.some((one) => isWithin(prefix, one.target))
    )
      continue
    const parts = secret.includes(source) ? prefixParts : ['']
    for (const part of parts)
      if (await exists(join(source, part)))
        view.shown.push({ source: join(source, part), target: join(prefix, part) })
  }
  const masked = new Set<string>()
  for (const one of view.shown)
    for (const folder of secret) {
      if (folder === one.source || !isWithin(folder, one.source) || !(await exists(folder))) continue
      masked.add(join(one.target, relative(one.source, await outermost(folder, one.source))))
    }
  const outer = [...masked].filter(
    (mask) => ![...masked].some((other) => other !== mask && isWithin(mask, other)),
  )
  return { ...view, masked: outer }
}

const systemPart = async (): Promise<{ shown: Shown[]; links: Record<string, string> }> => {
  const shown: Shown[] = []
  const links: Record<string, string> = {}
  const found = await Promise.all(
    systemFolders.map(async (target) => {
      const isLink = await lstat(target).then(
        (entry) => entry.isSymbolicLink(),
        () => undefined,
      )
      return { target, isLink, source: isLink === undefined ? target : await realPath(target) }
    }),
  )
  const folders = found.filter(({ isLink }) => isLink === false)
  for (const { target, isLink, source } of found) {
    if (isLink === undefined) continue
    if (isLink && folders.some((folder) => isWithin(source, folder.source)))
      links[target] = await readlink(target)
    else shown.push({ source, target })
  }
  return { shown, links }
}

/** As root a mask must lie where a job's user can go: in place of the outermost folder that only its owner enters. */
const outermost = async (path: string, shown: string): Promise<string> => {
  if (process.getuid?.() !== 0) return path
  const parts = relative(shown, path).split('/').slice(0, -1)
  for (const [index] of parts.entries()) {
    const folder = join(shown, ...parts.slice(0, index + 1))
    if (((await stat(folder)).mode & 0o001) === 0) return folder
  }
  return path
}

/** Sockets below what is shown: read-only folders do not keep anybody from connecting to them. */
export const socketsWithin = async ({ shown, masked }: SystemView): Promise<string[]> => {
  const sockets: string[] = []
  // The path is the eighth column: `address: references protocol flags type state inode path`.
  for (const line of (await readFile('/proc/net/unix', 'utf8').catch(() => '')).split('\n')) {
    const path = line.split(' ').filter(Boolean).slice(7).join(' ')
    const place = path.startsWith('/') ? shown.find(({ source }) => isWithin(path, source)) : undefined
    if (!place) continue
    const target = join(place.target, relative(place.source, path))
    if (masked.some((mask) => isWithin(target, mask))) continue
    const isSocket = await stat(path).then(
      (entry) => entry.isSocket(),
      () => false,
    )
    if (isSocket && (await outermost(path, place.source)) === path) sockets.push(target)
  }
  return sockets
}

/** The same view for rules that can only permit: where a mask lies below a path, its other children take its place. */
export const permittedPaths = async (
  paths: readonly string[],
  masked: readonly string[],
): Promise<string[]> => {
  const permitted: string[] = []
  for (const path of paths) {
    if (masked.includes(path)) continue
    if (!masked.some((mask) => isWithin(mask, path))) {
      permitted.push(path)
      continue
    }
    const children = await readdir(path).catch(() => [])
    permitted.push(
      ...(await permittedPaths(
        children.map((name) => join(path, name)),
        masked,
      )),
    )
  }
  return permitted
}

/** bwrap's arguments for a view; whatever lies in something else comes after it. */
export const viewArguments = ({ shown, links, masked }: SystemView): string[] => {
  const parts = [
    ...shown.map(({ source, target }) => ({ target, args: ['--ro-bind', source, target] })),
    ...Object.entries(links).map(([target, to]) => ({ target, args: ['--symlink', to, target] })),
    ...masked.map((target) => ({ target, args: ['--size', '4096', '--tmpfs', target] })),
  ]
  return [
    ...parts.sort((a, b) => depthOf(a.target) - depthOf(b.target)).flatMap(({ args }) => args),
    ...masked.flatMap((target) => ['--remount-ro', target]),
  ]
}

const depthOf = (path: string): number => path.split('/').length

export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

/** Without links, also where the last parts are not there yet. */
const realPath = async (path: string): Promise<string> => {
  const full = resolve(path)
  return await realpath(full).catch(async () =>
    full === dirname(full) ? full : join(await realPath(dirname(full)), relative(dirname(full), full)),
  )
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
