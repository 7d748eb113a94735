import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { auditArch, inspectedCalls, type Machine, refusedCalls, systemCallFilter } from './seccomp.ts'

interface Call {
  readonly arch: number
  readonly number: number
  readonly args?: readonly number[]
}

/** Runs the filter as the kernel would and returns the error number, or `allowed`. */
const verdictOf = (filter: Buffer, { arch, number, args = [] }: Call): number | 'allowed' => {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number, 0)
  data.writeUInt32LE(arch, 4)
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(BigInt(value), 16 + index * 8)
  let accumulator = 0
  for (let at = 0; at < filter.length / 8; at++) {
    const code = filter.readUInt16LE(at * 8)
    const value = filter.readUInt32LE(at * 8 + 4)
    if (code === 0x20) accumulator = data.readUInt32LE(value)
    else if (code === 0x06) return value === 0x7fff0000 ? 'allowed' : value & 0xffff
    else {
      const holds =
        code === 0x15
          ? accumulator === value
          : code === 0x35
            ? accumulator >= value
            : (accumulator & value) !== 0
      at += filter.readUInt8(at * 8 + (holds ? 2 : 3))
    }
  }
  return assert.fail('the program has no end')
}

const eperm = 1
const enosys = 38
const eafnosupport = 97

for (const machine of ['x64', 'arm64'] as const satisfies readonly Machine[]) {
  describe(`The filter of system calls for ${machine}`, () => {
    const filter = systemCallFilter(machine) ?? assert.fail()
    const call = (number: number, ...args: number[]) =>
      verdictOf(filter, { arch: auditArch[machine], number, args })

    test('lets ordinary calls through and refuses each that it names', () => {
      for (const number of machine === 'x64' ? [0, 1, 59, 231] : [63, 64, 221, 94])
        assert.equal(call(number), 'allowed')
      for (const [name, numbers] of Object.entries(refusedCalls))
        assert.equal(call(numbers[machine]), eperm, name)
    })

    test('lets sockets of the families that programs need through, and no other', () => {
      const socket = (family: number, protocol = 0) =>
        call(inspectedCalls.socket[machine], family, 1, protocol)
      assert.deepEqual(
        [1, 2, 10, 16].map((family) => socket(family)),
        Array(4).fill('allowed'),
      )
      for (let family = 0; family < 64; family++)
        if (![1, 2, 10, 16].includes(family)) assert.equal(socket(family), eafnosupport, `family ${family}`)
      assert.equal(socket(16, 12), eafnosupport, 'netlink beyond routing')
      // Only the lower half of an argument counts for the kernel, and so for the filter.
      assert.equal(call(inspectedCalls.socket[machine], 2 ** 40 + 40), eafnosupport)
      assert.equal(call(inspectedCalls.socketpair[machine], 1), 'allowed')
      assert.equal(call(inspectedCalls.socketpair[machine], 40), eafnosupport)
    })

    test('lets threads and processes be made, but no namespace', () => {
      const clone = (flags: number) => call(inspectedCalls.clone[machine], flags)
      assert.equal(clone(0x3d0f00), 'allowed')
      assert.equal(clone(17), 'allowed')
      for (const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000])
        assert.equal(clone(flag | 17), eperm)
      assert.equal(call(inspectedCalls.clone3[machine]), enosys)
    })

    test('refuses every call under another numbering: 32 bits, x32, another machine', () => {
      for (const arch of [0x40000003, 0x40000028, auditArch[machine === 'x64' ? 'arm64' : 'x64']])
        assert.equal(verdictOf(filter, { arch, number: 20 }), eperm)
      assert.equal(call(0x40000000 + 39), eperm)
    })
  })
}

const headers: Readonly<Record<Machine, string>> = {
  x64: '/usr/include/x86_64-linux-gnu/asm/unistd_64.h',
  arm64: '/usr/include/asm-generic/unistd.h',
}
for (const [machine, header] of Object.entries(headers))
  test(`The numbers for ${machine} are those of the kernel's headers`, {
    skip: !existsSync(header) && 'the headers are not installed',
  }, () => {
    const text = readFileSync(header, 'utf8')
    const known = new Map(
      [...text.matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)$/gm)].map(([, name, n]) => [name, Number(n)]),
    )
    for (const [name, numbers] of Object.entries({ ...refusedCalls, ...inspectedCalls })) {
      const number = known.get(name)
      if (number !== undefined) assert.equal(numbers[machine === 'x64' ? 'x64' : 'arm64'], number, name)
    }
    assert.ok(known.size > 200)
  })
