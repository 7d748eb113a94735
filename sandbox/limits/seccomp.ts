/**
 * System calls that no agent or scorer needs: they widen the kernel's surface, or hold memory that no limit of ours
 * sees. The filter is a classic BPF program that bwrap loads just before the command.
 */

type Machine = 'x64' | 'arm64'

/** Numbers by machine; from the kernel's own tables. */
const refusedCalls: Readonly<Record<string, Readonly<Record<Machine, number>>>> = {
  // Memory outside every quota: not in a folder, not in a process.
  memfd_create: { x64: 319, arm64: 279 },
  memfd_secret: { x64: 447, arm64: 447 },
  shmget: { x64: 29, arm64: 194 },
  msgget: { x64: 68, arm64: 186 },
  semget: { x64: 64, arm64: 190 },
  // Ways into the kernel that have been holes before.
  userfaultfd: { x64: 323, arm64: 282 },
  bpf: { x64: 321, arm64: 280 },
  perf_event_open: { x64: 298, arm64: 241 },
  io_uring_setup: { x64: 425, arm64: 425 },
  io_uring_enter: { x64: 426, arm64: 426 },
  io_uring_register: { x64: 427, arm64: 427 },
  add_key: { x64: 248, arm64: 217 },
  request_key: { x64: 249, arm64: 218 },
  keyctl: { x64: 250, arm64: 219 },
  // Namespaces and mounts.
  unshare: { x64: 272, arm64: 97 },
  setns: { x64: 308, arm64: 268 },
  mount: { x64: 165, arm64: 40 },
  umount2: { x64: 166, arm64: 39 },
  pivot_root: { x64: 155, arm64: 41 },
  open_tree: { x64: 428, arm64: 428 },
  move_mount: { x64: 429, arm64: 429 },
  fsopen: { x64: 430, arm64: 430 },
  fsconfig: { x64: 431, arm64: 431 },
  fsmount: { x64: 432, arm64: 432 },
  fspick: { x64: 433, arm64: 433 },
  mount_setattr: { x64: 442, arm64: 442 },
  name_to_handle_at: { x64: 303, arm64: 264 },
  open_by_handle_at: { x64: 304, arm64: 265 },
  // The machine itself.
  init_module: { x64: 175, arm64: 105 },
  finit_module: { x64: 313, arm64: 273 },
  delete_module: { x64: 176, arm64: 106 },
  kexec_load: { x64: 246, arm64: 104 },
  kexec_file_load: { x64: 320, arm64: 294 },
  reboot: { x64: 169, arm64: 142 },
  swapon: { x64: 167, arm64: 224 },
  swapoff: { x64: 168, arm64: 225 },
  acct: { x64: 163, arm64: 89 },
  quotactl: { x64: 179, arm64: 60 },
  syslog: { x64: 103, arm64: 116 },
  settimeofday: { x64: 164, arm64: 170 },
  clock_settime: { x64: 227, arm64: 112 },
}

const auditArch: Readonly<Record<Machine, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 }

const loadWord = 0x20
const jumpIfEqual = 0x15
const jumpIfAtLeast = 0x35
const returnValue = 0x06
const numberOffset = 0
const archOffset = 4
const allow = 0x7fff0000
const failWithEperm = 0x00050001
/** On x64 a second numbering of the same calls starts here. */
const firstX32Number = 0x40000000

interface Instruction {
  readonly code: number
  readonly ifTrue?: number
  readonly ifFalse?: number
  readonly value: number
}

/** The program for this machine, or undefined where we do not know its numbers. */
export const systemCallFilter = (machine: string): Buffer | undefined => {
  if (machine !== 'x64' && machine !== 'arm64') return undefined
  const numbers = Object.values(refusedCalls).map((call) => call[machine])
  const checks = numbers.length + 1
  const program: Instruction[] = [
    { code: loadWord, value: archOffset },
    // A program for another machine would bring other numbers: nothing of it is permitted.
    { code: jumpIfEqual, ifFalse: checks + 2, value: auditArch[machine] },
    { code: loadWord, value: numberOffset },
    { code: jumpIfAtLeast, ifTrue: checks, value: firstX32Number },
    ...numbers.map((value, index) => ({ code: jumpIfEqual, ifTrue: numbers.length - index, value })),
    { code: returnValue, value: allow },
    { code: returnValue, value: failWithEperm },
  ]
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, { code, ifTrue = 0, ifFalse = 0, value }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(ifTrue, index * 8 + 2)
    bytes.writeUInt8(ifFalse, index * 8 + 3)
    bytes.writeUInt32LE(value, index * 8 + 4)
  }
  return bytes
}
