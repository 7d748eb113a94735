import { join, relative } from 'node:path'

/** A tree of control groups in which this process has a place. */
export interface Hierarchy {
  /** Our own group in it. */
  readonly folder: string
  /** The two generations of the kernel's interface name their files differently. */
  readonly generation: 1 | 2
  /** Whether our group is the topmost that we can see: the machine's, or that of its own container. */
  readonly isTop: boolean
}

export type Controller = 'memory' | 'pids' | 'cpu'

/** This process's group, by controller; from the texts of /proc/self/cgroup and /proc/self/mountinfo. */
export const findHierarchies = (
  groups: string,
  mounts: string,
): Readonly<Partial<Record<Controller, Hierarchy>>> => {
  const places = groups.split('\n').map(readPlace)
  const mounted = mounts.split('\n').map(readMount)
  const find = (controller: Controller): Hierarchy | undefined => {
    const first = places.find(({ controllers }) => controllers.includes(controller))
    const place = first ?? places.find(({ id }) => id === '0')
    const mount = mounted.find(({ type, options }) =>
      first ? type === 'cgroup' && options.includes(controller) : type === 'cgroup2',
    )
    if (!place || !mount) return undefined
    const below = relative(mount.root, place.path)
    if (below.startsWith('..')) return undefined
    return { folder: join(mount.folder, below), generation: first ? 1 : 2, isTop: below === '' }
  }
  const memory = find('memory')
  const pids = find('pids')
  const cpu = find('cpu')
  return { ...(memory ? { memory } : {}), ...(pids ? { pids } : {}), ...(cpu ? { cpu } : {}) }
}

/** `4:memory:/a/b`, or `0::/a/b` of the second generation. */
const readPlace = (line: string): { id: string; controllers: string[]; path: string } => {
  const [id = '', controllers = '', ...path] = line.split(':')
  return { id, controllers: controllers.split(','), path: path.join(':') }
}

/** `36 35 0:31 /root /folder rw … - type source options`, with optional fields before the dash. */
const readMount = (line: string): { root: string; folder: string; type: string; options: string[] } => {
  const [before = '', after = ''] = line.split(' - ')
  const [, , , root = '', folder = ''] = before.split(' ')
  const [type = '', , options = ''] = after.split(' ')
  return { root, folder, type, options: options.split(',') }
}
