import { findExecutable } from '../stage/interpreters.ts'

/** The programs that run containers; in the order in which they are tried where none is named. */
export const runtimeNames = ['crun', 'runc', 'runsc'] as const
export type RuntimeName = (typeof runtimeNames)[number]
export type RuntimeChoice = 'auto' | RuntimeName

export interface Runtime {
  readonly name: RuntimeName
  readonly program: string
}

/** gVisor is another system with its own limits: it is used where the operator asks for it, and then nothing else is. */
const triedByItself: readonly RuntimeName[] = ['crun', 'runc']

export const findRuntimes = async (choice: RuntimeChoice, searchPath: string): Promise<Runtime[]> => {
  const found: Runtime[] = []
  for (const name of choice === 'auto' ? triedByItself : [choice]) {
    const program = await findExecutable(name, `${searchPath}:/usr/sbin:/usr/local/sbin`)
    if (program) found.push({ name, program })
  }
  return found
}

/** Our control groups hold the job already, so none is asked to make its own. */
const globalArguments: Readonly<Record<RuntimeName, readonly string[]>> = {
  crun: ['--cgroup-manager=disabled'],
  runc: ['--rootless=true'],
  runsc: ['--rootless', '--network=none', '--ignore-cgroups', '--host-uds=open'],
}

/** The connection for the launcher’s report is its descriptor 3. */
const passes: Readonly<Record<RuntimeName, readonly string[]>> = {
  crun: ['--preserve-fds=1'],
  runc: ['--preserve-fds', '1'],
  runsc: ['--pass-fd=3:3'],
}

export const runArguments = (
  { name, program }: Runtime,
  place: { readonly state: string; readonly bundle: string; readonly id: string },
): string[] => [
  program,
  '--root',
  place.state,
  ...globalArguments[name],
  'run',
  ...passes[name],
  '--bundle',
  place.bundle,
  place.id,
]

export const missingRuntime = (choice: RuntimeChoice): string =>
  choice === 'auto'
    ? 'neither crun nor runc is installed (Debian and Ubuntu: apt-get install crun)'
    : `${choice} is not installed, and DIORAMA_IMAGE_RUNTIME asks for it`
