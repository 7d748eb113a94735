/** A trial as an attacker finds it: a sandbox with its gateway, secrets outside, and another trial beside it. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mergedAuthorities, openAuthority } from '../gateway/authority.ts'
import { type Gateway, openGateway } from '../gateway/gateway.ts'
import type { GatewayStep } from '../gateway/options.ts'
import type { ImageSource } from '../images/image.ts'
import { openSandbox } from '../open.ts'
import type { RuntimeChoice } from '../runtime/runtimes.ts'
import type { Sandbox, SandboxLimits, SandboxOutcome } from '../sandbox.ts'
import { limitsOf } from './conformance.ts'

export const hostSecret = 'the-secret-of-the-host'

/** Attacks that a shell cannot make. Each prints "refused" with the kernel's reason, or "worked". */
const attackProgram = `
import ctypes, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def connect(host, port):
    s = socket.socket(); s.settimeout(2); s.connect((host, int(port))); print(s.recv(100))
def ptrace(pid):
    if libc.ptrace(16, int(pid), None, None) != 0: raise OSError(ctypes.get_errno(), "ptrace")
def raw(): socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
def packet(): socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3)
def udp(host):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(1); s.sendto(b"x" * 30, (host, 53)); s.recv(10)
def unix(path): s = socket.socket(socket.AF_UNIX); s.connect(path)
def chroot(): os.chroot("/tmp")
def setuid(): os.setuid(0)
def mknod(): os.mknod("/tmp/disk", 0o60666, os.makedev(8, 0))
def write(path): open(path, "w").write("x")
def read(path): print(open(path).read())
def limits(pid):
    import resource
    resource.prlimit(int(pid), resource.RLIMIT_NPROC, (100000, 100000))
def memory():
    os.memfd_create('x')
def segment():
    if libc.shmget(0, 4096, 0o1600) < 0: raise OSError(ctypes.get_errno(), 'shmget')
def module():
    if libc.syscall(105, b"", 0, b"") != 0: raise OSError(ctypes.get_errno(), "init_module")
try:
    globals()[sys.argv[1]](*sys.argv[2:]); print("worked")
except Exception as e:
    print("refused", type(e).__name__, e)
`

/** The same sandbox, with every job in a container. */
export const inImage = async (sandbox: Sandbox, source: ImageSource): Promise<Sandbox> => {
  const image = await sandbox.images.hold(source)
  return {
    isolation: sandbox.isolation,
    storyLibrary: sandbox.storyLibrary,
    images: sandbox.images,
    run: (job, signal) => sandbox.run({ ...job, image }, signal),
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  }
}

export interface TrialUnderAttack extends AsyncDisposable {
  readonly sandbox: Sandbox
  readonly gateway: Gateway
  readonly otherGateway: Gateway
  readonly steps: readonly GatewayStep[]
  /** A folder of the host, with a secret in it. */
  readonly folder: string
  /** A port of the host in place of the control plane. */
  readonly controlPort: number
  /** Runs an attack as an agent's command, with network and collection, as a trial would. */
  attack(command: string, limits?: Partial<SandboxLimits>): Promise<SandboxOutcome>
  /** Runs an attack in which every part must be refused. */
  isRefused(command: string): Promise<void>
}

/** In the sandbox's own view of this machine, or in a container with this image. */
export const openTrialUnderAttack = async (
  searchPath: string,
  image?: { readonly source: ImageSource; readonly runtime: RuntimeChoice },
): Promise<TrialUnderAttack> => {
  const folder = mkdtempSync(join(tmpdir(), 'hostile-'))
  writeFileSync(join(folder, 'expected.txt'), hostSecret, { mode: 0o644 })
  const imageRuntime = image?.runtime ?? 'auto'
  const opened = await openSandbox({ choice: 'bubblewrap', stateDir: folder, searchPath, imageRuntime })
  if ('unavailable' in opened) throw new Error(opened.unavailable)
  const sandbox = image ? await inImage(opened.sandbox, image.source) : opened.sandbox
  const authority = await openAuthority({ stateDir: join(folder, 'authority') })
  const authorities = await mergedAuthorities(authority)
  const steps: GatewayStep[] = []
  const options = {
    authority,
    route: (host: string) =>
      host === 'twin.example' ? ({ kind: 'twin', service: 'chat' } as const) : undefined,
    onRequest: async () => ({ status: 200, headers: {}, body: 'twin' }),
  }
  const gateway = await openGateway({ ...options, onStep: (step) => steps.push(step) })
  const otherGateway = await openGateway(options)
  const listener = createServer((socket) => socket.end('control plane'))
  await new Promise<void>((resolve) => listener.listen(0, '0.0.0.0', resolve))
  const address = listener.address()
  const attack = (command: string, limits: Partial<SandboxLimits> = {}) =>
    sandbox.run({
      command,
      files: { 'attack.py': attackProgram },
      limits: limitsOf({ wallMs: 15_000, ...limits }),
      network: { gatewaySocket: gateway.socketPath, hosts: ['twin.example'], authorities },
      collect: { maxFiles: 20, maxBytes: 1_000_000 },
    })
  return {
    sandbox,
    gateway,
    otherGateway,
    steps,
    folder,
    controlPort: address && typeof address === 'object' ? address.port : 0,
    attack,
    async isRefused(command) {
      const { stdout } = await attack(command)
      assert.match(stdout.text, /refused/)
      assert.doesNotMatch(stdout.text, /worked/)
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await otherGateway[Symbol.asyncDispose]()
      await sandbox[Symbol.asyncDispose]()
      listener.close()
      rmSync(folder, { recursive: true })
    },
  }
}
