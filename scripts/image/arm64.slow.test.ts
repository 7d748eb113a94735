import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { root } from '../setup.mjs'

const run = promisify(execFile)
const timeout = 1_200_000
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const aarch64 = 183

let folder = ''
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'diorama-arm64-'))
})
after(() => rmSync(folder, { recursive: true, force: true }))

/** The processor that a Linux program or library is for, by the number in its ELF header; undefined for other files. */
const machineOf = (path: string): number | undefined => {
  const header = Buffer.alloc(20)
  const file = openSync(path, 'r')
  try {
    if (readSync(file, header) < 20 || header.toString('latin1', 0, 4) !== '\x7fELF') return undefined
    return header.readUInt16LE(18)
  } finally {
    closeSync(file)
  }
}

/** Whether a package that brings its library for every platform has it for this one too. */
const hasArmBuild = (path: string): boolean =>
  path.includes('/prebuilds/') && existsSync(path.replace(/\/prebuilds\/[^/]+\//, '/prebuilds/linux-arm64/'))

describe('the image for arm64', () => {
  it('gets its programs and libraries for that processor from the lock file', {
    timeout,
  }, async (context) => {
    const { workspaces } = JSON.parse(read('package.json'))
    for (const path of ['', ...workspaces].map((name) => join(name, 'package.json')))
      cpSync(join(root, path), join(folder, path))
    cpSync(join(root, 'package-lock.json'), join(folder, 'package-lock.json'))
    const words = ['ci', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund']
    try {
      await run('npm', [...words, '--os=linux', '--cpu=arm64', '--libc=glibc'], { cwd: folder })
    } catch (error) {
      const { stderr = '' } = error as { stderr?: string }
      if (!/EAI_AGAIN|ENOTFOUND|ECONNREFUSED|ETIMEDOUT/.test(stderr)) throw error
      return context.skip('the npm registry cannot be reached')
    }
    const files = readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true })
    const native = files
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => ({ path, machine: machineOf(path) }))
      .filter(({ machine }) => machine !== undefined)
    for (const name of ['postgres', 'node'])
      assert.ok(
        native.some(({ path }) => path.endsWith(`/bin/${name}`)),
        name,
      )
    assert.deepEqual(
      native.filter(({ path, machine }) => machine !== aarch64 && !hasArmBuild(path)).map(({ path }) => path),
      [],
    )
  })

  it('finds its system packages in the Debian release of its base', { timeout }, async (context) => {
    const dockerfile = read('Dockerfile')
    const suite = /^ARG BASE_IMAGE=\S+-(\w+)-slim$/m.exec(dockerfile)?.[1] ?? ''
    const mirror = /^ARG DEBIAN_MIRROR=(\S+)$/m.exec(dockerfile)?.[1] ?? ''
    const wanted =
      /apt-get install -y --no-install-recommends ([\w -]+?) *\\/.exec(dockerfile)?.[1]?.split(' ') ?? []
    assert.ok(wanted.includes('bubblewrap'), 'the packages of the Dockerfile')
    const reply = await fetch(`${mirror}/debian/dists/${suite}/main/binary-arm64/Packages.gz`).catch(
      () => undefined,
    )
    if (!reply?.ok) return context.skip(`${mirror} cannot be reached`)
    const index = gunzipSync(new Uint8Array(await reply.arrayBuffer())).toString()
    assert.deepEqual(
      wanted.filter(
        (name) => !index.includes(`\nPackage: ${name}\n`) && !index.startsWith(`Package: ${name}\n`),
      ),
      [],
    )
  })
})
