import { spawnSync } from 'node:child_process'

/** A machine on the network of a run. */
export interface Machine {
  readonly name: string
  readonly address: string
  /** Goes in front of a command that is to run there. */
  readonly enter: readonly string[]
}

export interface Network {
  /** Why machines share one network stack and cannot be cut apart; undefined where each has its own. */
  readonly shared: string | undefined
  readonly machine: (name: string) => Machine
  /** Drops every packet between two machines without a word, both ways. */
  readonly cut: (one: Machine, other: Machine) => void
  readonly heal: (one: Machine, other: Machine) => void
  readonly close: () => void
}

/**
 * A router with one cable to each machine, all of them network namespaces; this process is one more machine. Packets
 * between two machines pass the router, which can drop them. Where namespaces are not permitted, all share the loopback.
 */
export const openNetwork = (id: number): Network => {
  const why = refusal(id)
  return why === undefined ? namespaces(id) : loopback(why)
}

const ip = (...args: string[]): string => {
  const { status, stderr, stdout, error } = spawnSync('ip', args, { encoding: 'utf8' })
  if (status === 0) return stdout
  throw new Error(`ip ${args.join(' ')}: ${error?.message ?? stderr.trim()}`)
}

const refusal = (id: number): string | undefined => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'network namespaces need root on Linux'
  try {
    ip('netns', 'add', `chaos-${id}-probe`)
    ip('netns', 'del', `chaos-${id}-probe`)
    return undefined
  } catch (error) {
    return `network namespaces cannot be made here (${error instanceof Error ? error.message : error})`
  }
}

const loopback = (shared: string): Network => ({
  shared,
  machine: (name) => ({ name, address: '127.0.0.1', enter: [] }),
  cut: () => {},
  heal: () => {},
  close: () => {},
})

const namespaces = (id: number): Network => {
  // The range that RFC 2544 sets apart for tests of networks.
  const prefix = `198.18.${id % 256}`
  const router = `chaos-${id}-router`
  const made: string[] = []
  let cables = 0
  const addNamespace = (name: string) => {
    ip('netns', 'add', name)
    made.push(name)
    ip('-n', name, 'link', 'set', 'lo', 'up')
  }
  /** Each cable is a network of four addresses: the router's end is the second, the machine's the third. */
  const addCable = () => {
    const base = 4 * cables++
    return { end: `${prefix}.${base + 1}`, address: `${prefix}.${base + 2}`, port: `port${cables}` }
  }
  const rule = (what: 'add' | 'del', from: Machine, to: Machine) =>
    ip('-n', router, 'rule', what, 'from', from.address, 'to', to.address, 'blackhole')

  addNamespace(router)
  const on = ['-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward']
  if (spawnSync('nsenter', [`--net=/run/netns/${router}`, 'sh', ...on]).status !== 0)
    throw new Error('the router does not forward packets')
  const here = addCable()
  const device = `chaos${id % 10_000_000}`
  ip(
    '-n',
    router,
    'link',
    'add',
    here.port,
    'type',
    'veth',
    'peer',
    'name',
    device,
    'netns',
    String(process.pid),
  )
  ip('-n', router, 'addr', 'add', `${here.end}/30`, 'dev', here.port)
  ip('-n', router, 'link', 'set', here.port, 'up')
  ip('addr', 'add', `${here.address}/30`, 'dev', device)
  ip('link', 'set', device, 'up')
  ip('route', 'add', `${prefix}.0/24`, 'via', here.end, 'dev', device)

  return {
    shared: undefined,
    machine: (name) => {
      const namespace = `chaos-${id}-${name}`
      addNamespace(namespace)
      const { end, address, port } = addCable()
      ip('-n', router, 'link', 'add', port, 'type', 'veth', 'peer', 'name', 'cable', 'netns', namespace)
      ip('-n', router, 'addr', 'add', `${end}/30`, 'dev', port)
      ip('-n', router, 'link', 'set', port, 'up')
      ip('-n', namespace, 'addr', 'add', `${address}/30`, 'dev', 'cable')
      ip('-n', namespace, 'link', 'set', 'cable', 'up')
      ip('-n', namespace, 'route', 'add', 'default', 'via', end)
      return { name, address, enter: ['nsenter', `--net=/run/netns/${namespace}`] }
    },
    cut: (one, other) => {
      rule('add', one, other)
      rule('add', other, one)
    },
    heal: (one, other) => {
      rule('del', one, other)
      rule('del', other, one)
    },
    // The cables go with the namespaces.
    close: () => {
      for (const name of made) ip('netns', 'del', name)
    },
  }
}
