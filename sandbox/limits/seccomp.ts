/**
 * A seccomp filter: refuses system calls that no agent or scorer needs, since they widen the kernel's attack surface or
 * hold memory that no limit of ours sees. It is a classic BPF program that is loaded just before the command.
 */

export type Machine = 'x64' | 'arm64'

/** Numbers by machine; from the kernel's own tables. */
export const refusedCalls: Readonly<Record<string, Readonly<Record<Machine, number>>>> = {
  // Memory outside every quota: not in a folder, not in a process.
  memfd_create: { x64: 319, arm64: 279 },
  memfd_secret: { x64: 447, arm64: 447 },
  shmget: { x64: 29, arm64: 194 },
  msgget: { x64: 68, arm64: 186 },
  semget: { x64: 64, arm64: 190 },
  mq_open: { x64: 240, arm64: 180 },
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
  statmount: { x64: 457, arm64: 457 },
  listmount: { x64: 458, arm64: 458 },
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

/** Calls whose arguments decide. */
export const inspectedCalls = {
  clone: { x64: 56, arm64: 220 },
  clone3: { x64: 435, arm64: 435 },
  socket: { x64: 41, arm64: 198 },
  socketpair: { x64: 53, arm64: 199 },
} as const satisfies Readonly<Record<string, Readonly<Record<Machine, number>>>>

export const auditArch: Readonly<Record<Machine, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 }

/** AF_UNIX, AF_INET and AF_INET6. AF_NETLINK is inspected further: listing interfaces needs its routing protocol. */
const addressFamilies = [1, 2, 10]
const netlinkFamily = 16
const netlinkRoute = 0
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const namespaceFlags = 0x7e020000
/** On x64 a second numbering of the same calls (x32) starts here. */
const firstX32Number = 0x40000000

/** Offsets in `struct seccomp_data`; arguments are 64 bits wide, of which these calls read the lower half. */
const offsets = { number: 0, arch: 4, firstArgument: 16, thirdArgument: 32 } as const
const opcodes = {
  load: 0x20,
  jumpIfEqual: 0x15,
  jumpIfAtLeast: 0x35,
  jumpIfAnyBit: 0x45,
  return: 0x06,
} as const
const verdicts = {
  allow: 0x7fff0000,
  notPermitted: 0x00050000 | 1,
  // The C library then falls back to clone(2), whose flags can be inspected.
  noSuchCall: 0x00050000 | 38,
  noSuchFamily: 0x00050000 | 97,
} as const
type Label = keyof typeof verdicts | 'clone' | 'socket' | 'netlink'

interface Instruction {
  readonly label?: Label
  readonly code: number
  readonly value: number
  /** Where to go; the next instruction otherwise. */
  readonly ifTrue?: Label
  readonly ifFalse?: Label
}

const load = (value: number, label?: Label): Instruction => ({
  code: opcodes.load,
  value,
  ...(label ? { label } : {}),
})
const jumpIfEqual = (value: number, ifTrue: Label, ifFalse?: Label): Instruction => ({
  code: opcodes.jumpIfEqual,
  value,
  ifTrue,
  ...(ifFalse ? { ifFalse } : {}),
})

const instructionsFor = (machine: Machine): Instruction[] => [
  load(offsets.arch),
  // A program for another machine (32 bits) would bring other numbers: nothing of it is permitted.
  { code: opcodes.jumpIfEqual, value: auditArch[machine], ifFalse: 'notPermitted' },
  load(offsets.number),
  { code: opcodes.jumpIfAtLeast, value: firstX32Number, ifTrue: 'notPermitted' },
  ...Object.values(refusedCalls).map((call) => jumpIfEqual(call[machine], 'notPermitted')),
  jumpIfEqual(inspectedCalls.clone3[machine], 'noSuchCall'),
  jumpIfEqual(inspectedCalls.clone[machine], 'clone'),
  jumpIfEqual(inspectedCalls.socket[machine], 'socket'),
  jumpIfEqual(inspectedCalls.socketpair[machine], 'socket', 'allow'),
  load(offsets.firstArgument, 'clone'),
  { code: opcodes.jumpIfAnyBit, value: namespaceFlags, ifTrue: 'notPermitted', ifFalse: 'allow' },
  load(offsets.firstArgument, 'socket'),
  ...addressFamilies.map((family) => jumpIfEqual(family, 'allow')),
  jumpIfEqual(netlinkFamily, 'netlink', 'noSuchFamily'),
  load(offsets.thirdArgument, 'netlink'),
  jumpIfEqual(netlinkRoute, 'allow', 'noSuchFamily'),
  ...labels.map((label) => ({ label, code: opcodes.return, value: verdicts[label] })),
]
const labels = ['allow', 'notPermitted', 'noSuchCall', 'noSuchFamily'] as const

/** The program for this machine, or undefined where we do not know its numbers. */
export const systemCallFilter = (machine: string): Buffer | undefined => {
  if (machine !== 'x64' && machine !== 'arm64') return undefined
  const instructions = instructionsFor(machine)
  const distance = (from: number, label: Label | undefined) =>
    label === undefined ? 0 : instructions.findIndex((target) => target.label === label) - from - 1
  const bytes = Buffer.alloc(instructions.length * 8)
  for (const [index, { code, value, ifTrue, ifFalse }] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(distance(index, ifTrue), index * 8 + 2)
    bytes.writeUInt8(distance(index, ifFalse), index * 8 + 3)
    bytes.writeUInt32LE(value, index * 8 + 4)
  }
  return bytes
}
