/**
 * The first program in an agent's sandbox: lays out the files, starts the relay, runs the command with its limits,
 * and, when the command is over, ends everything else and sends back what lies in the work folder.
 *
 * Standard input: one line of JSON (the plan), the bytes of its files in order, and later perhaps "stop".
 * File descriptor 3: one line of JSON for each event; a `file` line is followed by that many raw bytes.
 * The command never holds either. This process keeps one capability that the command lacks, so the kernel lets the
 * command neither trace it nor look into it; killing it only costs the command its own network and artifacts.
 */
import { spawn } from 'node:child_process'
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  openSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

const REPORT = 3
const REFUSALS = 100

function report(event) {
  writeAll(Buffer.from(`${JSON.stringify(event)}\n`))
}

function writeAll(bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(REPORT, bytes, at)
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

/** Reads the plan and its files, then keeps listening for "stop". */
function readPlan(onPlan, onStop) {
  let pending = Buffer.alloc(0)
  let plan
  let parts = []
  let missing = 0
  let planned = false
  const take = (chunk) => {
    if (planned) return onStop()
    parts.push(chunk)
    missing -= chunk.length
    if (missing > 0) return
    planned = true
    const all = Buffer.concat(parts)
    parts = []
    onPlan(plan, all)
  }
  process.stdin.on('data', (chunk) => {
    if (plan) return take(chunk)
    pending = Buffer.concat([pending, chunk])
    const end = pending.indexOf(10)
    if (end < 0) return
    plan = JSON.parse(pending.subarray(0, end).toString())
    missing = plan.files.reduce((sum, file) => sum + file.size, 0) + plan.bundleBytes
    take(pending.subarray(end + 1))
  })
  process.stdin.on('end', onStop)
}

function layOut(plan, bytes) {
  let at = 0
  for (const file of plan.files) {
    mkdirSync(dirname(file.path), { recursive: true })
    writeFileSync(file.path, bytes.subarray(at, at + file.size), { mode: file.mode })
    at += file.size
  }
  return bytes.subarray(at)
}

/** Runs confined itself: a bundle that climbs out of its folder only reaches the sandbox. */
function unpack(plan, bundle) {
  return new Promise((resolve) => {
    if (bundle.length === 0) return resolve(undefined)
    const args = ['-xzf', '-', '--no-same-owner', '--no-same-permissions', '-C', plan.cwd]
    const tar = spawn('tar', args, { stdio: ['pipe', 'ignore', 'pipe'], env: { PATH: plan.env.PATH } })
    let problem = ''
    tar.stderr.on('data', (chunk) => {
      if (problem.length < 500) problem += chunk
    })
    tar.on('error', (error) => resolve(error.message))
    tar.on('close', (code) =>
      resolve(code === 0 ? undefined : problem.slice(0, 500) || `tar ended with ${code}`),
    )
    tar.stdin.on('error', () => undefined)
    tar.stdin.end(bundle)
  })
}

/**
 * Everything but us and the first process of the namespace, or of our user where that user is the job's alone;
 * repeated until nobody is left to hear it. Where the user is a person's own, only the command's group.
 */
async function endOthers(plan, child) {
  if (plan && !plan.alone) {
    try {
      if (child) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The group is gone already.
    }
    return
  }
  // In our own namespace the kernel says when nobody is left; outside it counts strangers too, and never does.
  const rounds = plan?.namespaced === false ? 3 : 200
  for (let round = 0; round < rounds; round++) {
    try {
      process.kill(-1, 'SIGKILL')
    } catch {
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

function collect(root, limits) {
  let files = 0
  let bytes = 0
  let entries = 0
  let refused = 0
  let truncated = false
  const refuse = (path, reason) => {
    if (refused++ < REFUSALS) report({ refused: path, reason })
    else truncated = true
  }
  const visit = (folder, prefix, depth) => {
    let directory
    try {
      directory = opendirSync(folder)
    } catch {
      return refuse(prefix, 'folder cannot be read')
    }
    for (let entry = directory.readSync(); entry; entry = directory.readSync()) {
      if (++entries > limits.maxFiles * 4 || files >= limits.maxFiles) {
        truncated = true
        break
      }
      const path = prefix ? `${prefix}/${entry.name}` : entry.name
      if (!isPlainName(entry.name) || path.length > 1024) {
        refuse(path.slice(0, 1024), 'name')
        continue
      }
      const full = join(folder, entry.name)
      const found = lstatSync(full)
      if (found.isDirectory()) {
        if (depth < 16) visit(full, path, depth + 1)
        else refuse(path, 'folder too deep')
      } else if (!found.isFile()) refuse(path, found.isSymbolicLink() ? 'link' : 'not a regular file')
      else if (found.nlink > 1) refuse(path, 'link')
      else if (bytes + found.size > limits.maxBytes) refuse(path, 'too large')
      else if (send(full, path, found.size)) {
        files++
        bytes += found.size
      } else refuse(path, 'cannot be read')
    }
    directory.closeSync()
  }
  visit(root, '', 0)
  report({ collected: true, truncated })
}

/** A name that would mean something else in a log, a header or another system is left behind. */
function isPlainName(name) {
  return !name.includes('\\') && [...name].every((character) => character >= ' ' && character !== '\x7f')
}

function send(full, path, size) {
  let fd
  try {
    fd = openSync(full, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return false
  }
  const content = Buffer.alloc(size)
  let at = 0
  if (fstatSync(fd).isFile()) {
    for (let got = 1; at < size && got > 0; at += got) got = readSync(fd, content, at, size - at, at)
  }
  closeSync(fd)
  if (at < size) return false
  report({ file: path, size })
  writeAll(content)
  return true
}

let finished = false
let running
let channel = Buffer.alloc(0)
async function finish(plan, event) {
  if (finished) return
  finished = true
  await endOthers(plan, running)
  report(event)
  if (channel.length > 0) {
    report({ channel: channel.length })
    writeAll(channel)
  }
  if (plan?.collect) collect(plan.work, plan.collect)
  process.exit(0)
}

/** The command must not be able to make user namespaces of its own; where the kernel lets us, we forbid it here. */
function forbidNamespaces() {
  try {
    writeFileSync('/proc/sys/user/max_user_namespaces', '0')
  } catch {
    // Some kernels show this file read-only in a namespace; the other walls stand without it.
  }
}

let current
readPlan(
  async (plan, bytes) => {
    current = plan
    if (plan.namespaced) forbidNamespaces()
    let bundle
    try {
      bundle = layOut(plan, bytes)
    } catch (error) {
      report({ unfit: `The files do not fit the sandbox: ${error.message}` })
      process.exit(0)
    }
    const problem = await unpack(plan, bundle)
    if (problem) {
      report({ unfit: `The bundle cannot be unpacked: ${problem}` })
      process.exit(0)
    }
    if (plan.relay) {
      const { startRelay } = await import('./relay.mjs')
      await startRelay(plan.relay)
    }
    // Said before the command can do anything: from here on, our death is its doing and not the platform's.
    report({ started: true })
    const child = spawn(plan.confine[0], [...plan.confine.slice(1), ...plan.command], {
      cwd: plan.cwd,
      env: plan.env,
      stdio: [
        plan.stdin === undefined ? 'ignore' : 'pipe',
        'inherit',
        'inherit',
        plan.channelBytes ? 'pipe' : 'ignore',
      ],
      detached: true,
    })
    running = child
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(plan.stdin)
    child.stdio[3]?.on('data', (chunk) => {
      channel = Buffer.concat([channel, chunk]).subarray(0, plan.channelBytes)
    })
    child.on('error', (error) => finish(plan, { failed: error.message }))
    child.on('exit', (code, signal) => setImmediate(() => finish(plan, { exited: code, signal })))
  },
  () => finish(current, { stopped: true }),
)
