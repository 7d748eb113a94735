/**
 * What every driver promises, as tests. A new driver is done when this passes:
 * `describeSandbox({ name, open })` in its own test file.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { eventually } from '../../test/eventually.ts'
import { agentLimits, type Sandbox, type SandboxJob, type SandboxLimits } from '../sandbox.ts'

const collectLimits = { maxFiles: 20, maxBytes: 1_000_000 }

/** A job with sensible limits, for tests that are about something else. */
export const jobOf = (command: SandboxJob['command'], rest: Partial<SandboxJob> = {}): SandboxJob => {
  return { command, network: 'none', limits: limitsOf({}), ...rest }
}

export const limitsOf = (rest: Partial<SandboxLimits>): SandboxLimits => {
  return { ...agentLimits, wallMs: 120_000, ...rest }
}

/** What a job left in its work folder, as text by path. */
export const textsOf = (files: readonly { path: string; bytes: Uint8Array }[]): Record<string, string> => {
  return Object.fromEntries(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]))
}

/** The command lines of this machine's processes that contain a mark, seen from outside every sandbox. */
export const survivors = (mark: string): string[] => {
  const table = execFileSync('ps', ['-eo', 'pid,stat,args'], { encoding: 'utf8' })
  return table.split('\n').filter((line) => line.includes(mark) && !/^\s*\d+\s+Z/.test(line))
}

/** Waits until no process of this machine has the mark; fails when some are still there after many looks. */
export const untilGone = async (mark: string): Promise<void> => {
  await eventually(() => survivors(mark).length === 0, `processes with ${mark} are still there`)
}

/** What is hard to remove: folders deeper than a path can name, folders that are closed, and files that still come. */
const remains = [
  `python3 -c 'import os
for folder in (os.environ["HOME"], os.environ["WORK_DIR"], "/tmp"):
    os.chdir(folder)
    for _ in range(60): os.mkdir("d" * 200); os.chdir("d" * 200)'`,
  `python3 -c 'import os
for folder in (os.environ["HOME"], os.environ["WORK_DIR"], "/tmp"):
    os.makedirs(folder + "/a/b"); open(folder + "/a/b/c", "w").close()
    os.chmod(folder + "/a/b", 0); os.chmod(folder + "/a", 0)'`,
  `python3 -c 'import os
open(b"\\xff\\xfe", "w").close(); os.symlink("/", "all"); os.mkfifo("pipe"); os.chmod(".", 0)'`,
  `python3 -c 'import os, time
if os.fork() == 0:
    os.setsid()
    for n in range(3): os.close(n)
    while True: n += 1; os.close(os.open(os.environ["WORK_DIR"] + "/f" + str(n), os.O_CREAT))
time.sleep(0.2)'`,
]

export const describeSandbox = (driver: { name: string; open: () => Promise<Sandbox> }): void => {
  describe(`A ${driver.name} sandbox`, () => {
    let sandbox: Sandbox
    before(async () => {
      sandbox = await driver.open()
    })
    after(async () => {
      await sandbox[Symbol.asyncDispose]()
    })
    describeOutcomes(() => sandbox)
    describeFiles(() => sandbox)
    describeLimits(() => sandbox)
    describeIsolation(() => sandbox)
  })
}

const describeOutcomes = (get: () => Sandbox): void => {
  test('a command’s exit code, output and errors come back apart', async () => {
    const outcome = await get().run(jobOf('echo out; echo err >&2; exit 7'))
    assert.deepEqual([outcome.ended, outcome.exitCode, outcome.signal], ['exited', 7, null])
    assert.deepEqual([outcome.stdout.text, outcome.stderr.text], ['out\n', 'err\n'])
  })

  test('a command that dies by a signal says which', async () => {
    const outcome = await get().run(jobOf('kill -SEGV $$', { collect: collectLimits }))
    assert.deepEqual([outcome.ended, outcome.signal], ['killed', 'SIGSEGV'])
  })

  test('an argument vector is run without a shell', async () => {
    const outcome = await get().run(jobOf(['echo', '$HOME; id']))
    assert.equal(outcome.stdout.text, '$HOME; id\n')
  })

  test('a command that does not exist is the job’s failure, not ours', async () => {
    const outcome = await get().run(jobOf('no-such-program-anywhere'))
    assert.deepEqual([outcome.ended, outcome.exitCode], ['exited', 127])
  })

  test('the environment holds what the job asks for and nothing of the service’s own', async () => {
    process.env.SANDBOX_TEST_SECRET = 'do-not-tell'
    const outcome = await get().run(jobOf('env', { env: (paths) => ({ ANSWER: '42', PLACE: paths.work }) }))
    delete process.env.SANDBOX_TEST_SECRET
    assert.match(outcome.stdout.text, /^ANSWER=42$/m)
    assert.doesNotMatch(outcome.stdout.text, /do-not-tell/)
  })

  test('the environment reaches the command alone, and no program of ours that runs before it', async () => {
    // The dynamic linker of each program that starts with this variable reports that it cannot load the library.
    const env = () => ({ LD_PRELOAD: '/nowhere.so', PATH: '/home/agent:/usr/bin' })
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-bundle-'))
    writeFileSync(join(folder, 'any'), '')
    const bundle = execFileSync('tar', ['-czf', '-', '-C', folder, 'any'])
    rmSync(folder, { recursive: true })
    for (const rest of [{}, { collect: collectLimits }, { bundle, collect: collectLimits }]) {
      const outcome = await get().run(jobOf(['true'], { env, ...rest }))
      assert.equal(outcome.exitCode, 0)
      assert.equal(outcome.stderr.text.match(/nowhere\.so/g)?.length, 1, outcome.stderr.text)
    }
  })

  test('a private channel carries bytes that the printed output never shows', async () => {
    const direct = await get().run(jobOf('echo verdict >&3; echo printed', { channelBytes: 100 }))
    assert.equal(Buffer.from(direct.channel).toString(), 'verdict\n')
    assert.equal(direct.stdout.text, 'printed\n')
    const long = await get().run(
      jobOf('yes | head -c 5000 >&3', { channelBytes: 100, collect: collectLimits }),
    )
    assert.equal(long.channel.length, 100)
  })

  test('standard input is what the job gives, or empty', async () => {
    assert.equal((await get().run(jobOf('cat', { stdin: 'given' }))).stdout.text, 'given')
    assert.equal((await get().run(jobOf('cat', { collect: collectLimits }))).stdout.text, '')
  })

  test('python, node and a shell are there', async () => {
    const outcome = await get().run(
      jobOf('python3 -c "print(6*7)" && node -p process.version && sh -c "echo sh"'),
    )
    assert.match(outcome.stdout.text, /^42\nv24\.[\d.]+\nsh\n$/)
  })

  test('a cancelled job ends at once and says so', async () => {
    const controller = new AbortController()
    const running = get().run(jobOf('echo started; sleep 300'), controller.signal)
    setTimeout(() => controller.abort(), 150)
    const outcome = await running
    assert.equal(outcome.ended, 'cancelled')
    assert.equal((await get().run(jobOf('true'), controller.signal)).ended, 'cancelled')
  })

  test('a job ends at whatever moment of its start it is cancelled', async () => {
    const cancelled = Array.from({ length: 40 }, async (_, n) => {
      const controller = new AbortController()
      const running = get().run(jobOf('sleep 300'), controller.signal)
      setTimeout(() => controller.abort(), n * 5)
      return (await running).ended
    })
    assert.deepEqual([...new Set(await Promise.all(cancelled))], ['cancelled'])
  })
}

const describeFiles = (get: () => Sandbox): void => {
  test('files, inputs and a folder are laid out, and the command starts among its files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-folder-'))
    writeFileSync(join(folder, 'copied.txt'), 'from a folder')
    const outcome = await get().run(
      jobOf('cat main.txt deep/er/file.txt copied.txt "$TASK"', {
        files: { 'main.txt': 'one ', 'deep/er/file.txt': Buffer.from('two ') },
        folder,
        inputs: { 'task.md': ' three' },
        env: (paths) => ({ TASK: `${paths.inputs}/task.md` }),
      }),
    )
    rmSync(folder, { recursive: true })
    assert.equal(outcome.stdout.text, 'one two from a folder three')
  })

  test('a bundle is unpacked beside the files', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-bundle-'))
    writeFileSync(join(folder, 'agent.sh'), 'echo from the bundle')
    const bundle = execFileSync('tar', ['-czf', '-', '-C', folder, 'agent.sh'])
    rmSync(folder, { recursive: true })
    assert.equal((await get().run(jobOf('sh agent.sh', { bundle }))).stdout.text, 'from the bundle\n')
  })

  test('a virtual environment in a bundle runs with the interpreter of the sandbox', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-bundle-'))
    const packages = join(folder, 'venv', 'lib', 'packages')
    mkdirSync(packages, { recursive: true })
    mkdirSync(join(folder, 'venv', 'bin'))
    writeFileSync(join(packages, 'brought.py'), 'print("brought along")')
    symlinkSync('/usr/bin/python3', join(folder, 'venv', 'bin', 'python'))
    const bundle = execFileSync('tar', ['-czf', '-', '-C', folder, 'venv'])
    rmSync(folder, { recursive: true })
    const command = 'PYTHONPATH=venv/lib/packages venv/bin/python -m brought'
    assert.equal((await get().run(jobOf(command, { bundle }))).stdout.text, 'brought along\n')
  })

  test('a bundle that is not one makes the job unfit, with the reason', async () => {
    const outcome = await get().run(jobOf('true', { bundle: Buffer.from('not a bundle') }))
    assert.equal(outcome.ended, 'unfit')
    assert.match(outcome.stderr.text, /cannot be unpacked/)
  })

  test('what lies in the work folder comes back, and links do not', async () => {
    const script =
      'cd $WORK_DIR && echo answer > output.txt && mkdir d && echo x > d/y && ln -s /etc/passwd l && ln output.txt h'
    const { collected } = await get().run(jobOf(script, { collect: collectLimits }))
    assert.deepEqual(textsOf(collected.files), { 'd/y': 'x\n' })
    assert.deepEqual(collected.refused.map(({ path, reason }) => `${path}: ${reason}`).sort(), [
      'h: link',
      'l: link',
      'output.txt: link',
    ])
  })

  test('a job that ran out of time still hands back what it had written', async () => {
    const outcome = await get().run(
      jobOf('echo half > $WORK_DIR/output.txt; sleep 300', {
        collect: collectLimits,
        limits: limitsOf({ wallMs: 700 }),
      }),
    )
    assert.equal(outcome.ended, 'timeout')
    assert.deepEqual(textsOf(outcome.collected.files), { 'output.txt': 'half\n' })
  })
}

const describeLimits = (get: () => Sandbox): void => {
  test('a job that never ends is ended at its time limit', async () => {
    const outcome = await get().run(jobOf('while :; do :; done', { limits: limitsOf({ wallMs: 500 }) }))
    assert.equal(outcome.ended, 'timeout')
  })

  test('printing without end is cut, and far beyond the limit ended', async () => {
    const cut = await get().run(jobOf('yes | head -c 5000', { limits: limitsOf({ outputBytes: 1000 }) }))
    assert.deepEqual([cut.ended, cut.stdout.text.length, cut.stdout.truncated], ['exited', 1000, true])
    const flood = await get().run(jobOf('yes', { limits: limitsOf({ outputBytes: 1000 }) }))
    assert.equal(flood.ended, 'output')
  })

  test('memory beyond the limit ends the job, in one process or spread over many', async () => {
    const limits = limitsOf({ memoryBytes: 200 * 2 ** 20 })
    const hog = 'x = bytearray(10**8)\nfor i in range(0, len(x), 4096): x[i] = 1\nimport time; time.sleep(20)'
    const many = `for i in 1 2 3 4; do python3 -S -c '${hog}' & done; wait`
    assert.equal((await get().run(jobOf(many, { limits }))).ended, 'memory')
    const held = 'x = b"x" * 10**9\nimport time; time.sleep(20)'
    const one = await get().run(jobOf(['python3', '-S', '-c', held], { limits }))
    assert.ok(one.ended === 'memory' || one.exitCode === 1, one.ended)
  })

  test('an interpreter with many threads runs within its memory', async () => {
    const program = `const { Worker, isMainThread } = require('node:worker_threads')
      if (isMainThread) { let ended = 0; for (let n = 0; n < 8; n++) new Worker(__filename).on('exit', (code) => { ended += code === 0; if (ended === 8) console.log('all ended') }) }
      else { let kept = []; for (let n = 0; n < 100; n++) kept.push(new Array(10_000).fill(n)) }`
    const outcome = await get().run(jobOf('node program.cjs', { files: { 'program.cjs': program } }))
    assert.equal(outcome.stdout.text, 'all ended\n', outcome.stderr.text)
  })

  test('a file larger than the limit cannot be written', async () => {
    const outcome = await get().run(
      jobOf('head -c 3000000 /dev/zero > $WORK_DIR/big; echo $?; ls -l $WORK_DIR', {
        limits: limitsOf({ fileBytes: 1_000_000 }),
      }),
    )
    assert.match(outcome.stdout.text, /1000000/)
    assert.doesNotMatch(outcome.stdout.text, /3000000/)
  })

  test('nothing that a job started outlives it', async () => {
    const mark = `survivor-${process.pid}-${performance.now()}`
    const script = `(setsid sh -c 'sleep 300; : ${mark}' &) ; sh -c 'sleep 300; : ${mark}' & echo done`
    const outcome = await get().run(jobOf(script, { collect: collectLimits }))
    assert.equal(outcome.stdout.text, 'done\n')
    await untilGone(mark)
  })

  test('many jobs at once do not meet', async () => {
    const jobs = Array.from({ length: 8 }, (_, n) =>
      get().run(
        jobOf(`echo ${n} > $TMPDIR/me; sleep 0.1; cat $TMPDIR/*; ls $TMPDIR`, { collect: collectLimits }),
      ),
    )
    const outcomes = await Promise.all(jobs)
    assert.deepEqual(
      outcomes.map((outcome) => outcome.stdout.text),
      outcomes.map((_, n) => `${n}\nme\n`),
    )
  })
}

/** Prints the address families in which a socket can be made. */
const familiesProgram = `
import errno, socket
made = []
for family in range(48):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, socket.SOCK_RAW):
        try:
            socket.socket(family, kind)
            made.append(family)
        except OSError:
            pass
print(sorted(set(made)))`

/** Asks for the process id as a program of 32 bits and as one of x32 would; prints the answers. */
const otherNumberingsProgram = `
import ctypes, mmap
memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
memory.write(bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3]))
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
libc = ctypes.CDLL(None, use_errno=True)
print(call(), libc.syscall(0x40000000 | 39))`

/** Leaves a note, or looks for it, in every place that outlives a process. */
const notesProgram = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
key, name = int(sys.argv[2]), "note-" + sys.argv[2]
places = [f"{folder}/{name}" for folder in ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock", "/run/shm")]
leaves = sys.argv[1] == "leave"
found = []
for place in places:
    try:
        os.close(os.open(place, os.O_CREAT | os.O_RDWR, 0o666) if leaves else os.open(place, os.O_RDONLY))
        found.append(place)
    except OSError:
        pass
flags = 0o1666 if leaves else 0
for call in (lambda: libc.shmget(key, 4096, flags), lambda: libc.msgget(key, flags), lambda: libc.semget(key, 1, flags)):
    if call() >= 0: found.append("system v")
if libc.mq_open(f"/{name}".encode(), os.O_CREAT | os.O_RDWR if leaves else os.O_RDWR, 0o666, None) >= 0:
    found.append("queue")
print(found)`

const describeIsolation = (get: () => Sandbox): void => {
  test('sockets are made in the families that programs need, and in no other', async () => {
    const { stdout } = await get().run(jobOf(['python3', '-c', familiesProgram]))
    assert.equal(stdout.text, '[1, 2, 10, 16]\n')
  })

  test('system calls of 32 bits and of x32 are refused', {
    skip: process.arch !== 'x64' && 'these are numberings of x86-64',
  }, async () => {
    const { stdout } = await get().run(jobOf(['python3', '-c', otherNumberingsProgram]))
    assert.equal(stdout.text, '-1 -1\n')
  })

  test('network interfaces and names can be looked up', async () => {
    const program =
      "import os from 'node:os'; import dns from 'node:dns/promises'; console.log(os.networkInterfaces().lo ? 'lo' : '', (await dns.lookup('localhost')).address !== undefined)"
    const { stdout } = await get().run(jobOf(['node', '--input-type=module', '-e', program]))
    assert.equal(stdout.text, 'lo true\n')
  })

  test('whatever a job leaves behind, it has ended as it ended, and nothing of it is left', async () => {
    for (const leave of remains) {
      const outcome = await get().run(jobOf(leave, { collect: collectLimits }))
      assert.deepEqual([outcome.ended, outcome.exitCode], ['exited', 0], `${leave}\n${outcome.stderr.text}`)
    }
    assert.deepEqual(
      readdirSync(tmpdir()).filter((name) => name.startsWith(`diorama-job-${process.pid}-`)),
      [],
    )
  })

  test('a job leaves nothing by which the next one learns of it', async () => {
    const key = String(process.pid)
    const [leave, look] = ['leave', 'look'].map((how) => ['python3', '-c', notesProgram, how, key])
    await get().run(jobOf(leave ?? []))
    assert.equal((await get().run(jobOf(look ?? []))).stdout.text, '[]\n')
  })

  test('programs may use /tmp and shared memory, each job its own', async () => {
    const program = 'import multiprocessing as m; m.Lock(); open("/tmp/mine", "x").close(); print("works")'
    for (const collect of [undefined, collectLimits]) {
      const outcome = await get().run(jobOf(['python3', '-c', program], collect ? { collect } : {}))
      assert.equal(outcome.stdout.text, 'works\n', outcome.stderr.text)
    }
  })

  test('a job signals and reads no process of ours', async () => {
    const script = `kill -0 ${process.pid} && echo reached; cat /proc/${process.pid}/environ && echo read; true`
    assert.equal((await get().run(jobOf(script))).stdout.text, '')
  })
}
