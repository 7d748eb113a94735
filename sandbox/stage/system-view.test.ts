import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openSandbox } from '../open.ts'
import type { Isolation, Sandbox } from '../sandbox.ts'
import { jobOf } from '../testing/conformance.ts'
import { findInterpreters } from './interpreters.ts'
import { findSystemView, permittedPaths } from './system-view.ts'

const searchPath = process.env.PATH ?? ''
const checkout = fileURLToPath(new URL('../..', import.meta.url))
const isRoot = process.getuid?.() === 0

const opened = async (options: {
  choice: Isolation
  dataDir: string
  searchPath: string
}): Promise<Sandbox> => {
  const { choice, dataDir, searchPath } = options
  const found = await openSandbox({
    choice,
    stateDir: join(dataDir, 'sandbox'),
    searchPath,
    hidden: [dataDir],
  })
  return 'sandbox' in found ? found.sandbox : assert.fail(found.unavailable)
}

/** A Python with its own prefix, in which the service's data lies too. */
const preparePrefix = async () => {
  const root = mkdtempSync('/var/tmp/system-view-')
  const prefix = join(root, 'python')
  const base = (await findInterpreters(searchPath)).python?.executable ?? ''
  for (const folder of ['bin', 'data', 'run']) mkdirSync(join(prefix, folder), { recursive: true })
  symlinkSync(base, join(prefix, 'bin', 'python3'))
  writeFileSync(join(prefix, 'pyvenv.cfg'), `home = ${dirname(base)}\n`)
  writeFileSync(join(prefix, 'data', 'api-key'), 'secret', { mode: 0o644 })
  const server = createServer((socket) => socket.end('secret'))
  const socketPath = join(prefix, 'run', 'server.sock')
  await new Promise<void>((resolve) => server.listen({ path: socketPath, writableAll: true }, resolve))
  const remove = () => {
    server.close()
    rmSync(root, { recursive: true })
  }
  return { prefix, socketPath, [Symbol.dispose]: remove }
}

/** A folder of the system in which we may write; root prepares one for an ordinary user. */
const systemFolder = isRoot ? '/usr/local/share' : process.env.WRITABLE_SYSTEM_FOLDER

describe('A job sees what interpreters need', () => {
  for (const choice of ['bubblewrap', 'process'] as const)
    test(`and neither data, checkout nor sockets, even inside an interpreter's folder (${choice})`, async () => {
      using place = await preparePrefix()
      const dataDir = join(place.prefix, 'data')
      await using sandbox = await opened({
        choice,
        dataDir,
        searchPath: `${join(place.prefix, 'bin')}:${searchPath}`,
      })
      const connect = `import socket; s = socket.socket(socket.AF_UNIX); s.connect("${place.socketPath}"); print(s.recv(9))`
      const attacks = [
        `cat ${dataDir}/api-key; ls ${dataDir}; cat ${checkout}package.json; ls ${checkout}`,
        // Without namespaces a socket is guarded by its own password alone.
        ...(choice === 'bubblewrap' ? [`python3 -c '${connect}'`] : []),
      ]
      const script = `python3 -c 'import sys; print(sys.prefix)'; (${attacks.join('; ')}) 2>/dev/null; echo end`
      const { stdout, stderr } = await sandbox.run(jobOf(script))
      assert.equal(stdout.text, `${place.prefix}\nend\n`, stderr.text)
    })

  for (const choice of ['bubblewrap', 'process'] as const)
    test(`and no data in the system's own folders (${choice})`, {
      skip: systemFolder === undefined && 'only root writes there',
    }, async () => {
      const folder = mkdtempSync(`${systemFolder}/system-view-`)
      writeFileSync(join(folder, 'api-key'), 'secret', { mode: 0o644 })
      {
        await using sandbox = await opened({ choice, dataDir: folder, searchPath })
        const script = `cat ${folder}/api-key; ls ${folder}; ls /usr/src; ls -d /usr/local/share && date +%Z`
        assert.equal((await sandbox.run(jobOf(script))).stdout.text, '/usr/local/share\nUTC\n')
      }
      rmSync(folder, { recursive: true })
    })

  test('and learns no path of the service from its mount table', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'data-folder-'))
    {
      await using sandbox = await opened({ choice: 'bubblewrap', dataDir, searchPath })
      for (const collect of [undefined, { maxFiles: 1, maxBytes: 1 }]) {
        const job = jobOf(
          'cat /proc/self/mountinfo /proc/self/mounts /proc/1/mountinfo',
          collect ? { collect } : {},
        )
        const table = (await sandbox.run(job)).stdout.text
        assert.match(table, / \/usr\/bin /)
        assert.ok(![checkout.replace(/\/$/, ''), dataDir].some((path) => table.includes(path)), table)
      }
    }
    rmSync(dataDir, { recursive: true })
  })
})

test('A data folder that holds a part of the system is refused', async () => {
  const interpreters = await findInterpreters(searchPath)
  await assert.rejects(findSystemView({ interpreters, hidden: ['/usr'] }), /\/usr holds \/usr\/bin/)
})

test('Where rules only permit, the siblings of a masked folder are permitted in place of its parent', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'permitted-'))
  for (const name of ['a/b', 'a/c', 'd']) mkdirSync(join(folder, name), { recursive: true })
  const paths = await permittedPaths([folder], [join(folder, 'a/b')])
  assert.deepEqual(paths.sort(), [join(folder, 'a/c'), join(folder, 'd')])
  rmSync(folder, { recursive: true })
})
