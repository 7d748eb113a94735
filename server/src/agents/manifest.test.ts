import assert from 'node:assert/strict'
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Header } from 'tar-stream'
import { BadBundle, maxEntries, openManifest } from './manifest.ts'

interface Entry {
  readonly name: string
  readonly type: 'file' | 'directory' | 'symlink' | 'link'
  readonly linkname: string
}

const path = fc
  .array(fc.constantFrom('a', 'b', 'c', '..', '.'), { minLength: 1, maxLength: 4 })
  .map((segments) => segments.join('/'))
const entries = fc.array(
  fc.record<Entry>({
    name: path,
    type: fc.constantFrom('file', 'directory', 'symlink', 'symlink', 'link'),
    linkname: path,
  }),
  { minLength: 1, maxLength: 6 },
)

const accepted = (list: readonly Entry[]): boolean => {
  const manifest = openManifest(1_000)
  try {
    for (const entry of list) manifest.enter({ ...headerOf, ...entry })
    manifest.finish()
    return true
  } catch (error) {
    assert.ok(error instanceof BadBundle)
    return false
  }
}

const headerOf: Omit<Header, 'name' | 'type' | 'linkname'> = {
  size: 0,
  mode: 0o644,
  mtime: new Date(0),
  uid: 0,
  gid: 0,
  uname: '',
  gname: '',
  devmajor: 0,
  devminor: 0,
}

/** Unpacks without any care, as the most trusting program would. */
const unpack = (root: string, list: readonly Entry[]): void => {
  for (const { name, type, linkname } of list) {
    const place = join(root, name)
    mkdirSync(type === 'directory' ? place : dirname(place), { recursive: true })
    if (type === 'file') writeFileSync(place, 'x')
    if (type === 'symlink') symlinkSync(linkname, place)
    if (type === 'link') linkSync(join(root, linkname), place)
  }
}

describe('a manifest', () => {
  it('accepts nothing that leads out of its folder, whatever is unpacked without care', () => {
    let taken = 0
    const check = (list: readonly Entry[]) => {
      if (!accepted(list)) return
      taken++
      const outside = mkdtempSync(join(tmpdir(), 'diorama-manifest-'))
      try {
        const root = join(realpathSync(outside), 'deep', 'root')
        mkdirSync(root, { recursive: true })
        unpack(root, list)
        for (const { name } of list) {
          const place = join(root, name)
          if (existsSync(place)) assert.ok(`${realpathSync(place)}${sep}`.startsWith(`${root}${sep}`), name)
        }
      } finally {
        rmSync(outside, { recursive: true, force: true })
      }
    }
    fc.assert(fc.property(entries, check), { numRuns: 4_000, seed: 7 })
    assert.ok(taken > 50, `only ${taken} were accepted`)
  })

  it('takes as many entries as real agents have, and no more', () => {
    const manifest = openManifest(1_000)
    const enter = (name: string) => manifest.enter({ ...headerOf, name, type: 'file', linkname: '' })
    for (let n = 0; n < maxEntries; n++) enter(`node_modules/f${n}`)
    assert.throws(() => enter('one-more'), /more than 100000 entries/)
  })
})
