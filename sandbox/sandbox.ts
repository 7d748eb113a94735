import type { HeldImage, ImageLimits, ImageSource, UnpackedImage } from './images/image.ts'
import type { StoryClock } from './story/story-clock.ts'

/**
 * What a sandbox is. Start reading here; `open.ts` chooses between the two drivers that there are today.
 *
 * A job is a command with its files, limits and network. Whatever the command does, `run` resolves with an outcome;
 * it throws a SandboxFault only when the platform failed, so that no one's agent is blamed for our trouble.
 */
export type Isolation = 'bubblewrap' | 'process'

/** Where a job finds its things; the same in every job under bubblewrap, private folders under the process driver. */
export interface SandboxPaths {
  /** The command's files; it starts here. */
  readonly home: string
  /** What the command leaves here is collected. */
  readonly work: string
  /** Files that the platform hands to the command. */
  readonly inputs: string
  readonly temporary: string
  /** Our own scripts, such as the runners of scorers. */
  readonly scripts: string
}

export interface SandboxLimits {
  readonly wallMs: number
  readonly memoryBytes: number
  readonly processes: number
  /** The largest single file that can be written. */
  readonly fileBytes: number
  /** Standard output and standard error together; the job ends when it prints more. */
  readonly outputBytes: number
  /** Each writable folder: work, home, temporary. */
  readonly workBytes: number
  /** The home alone, which holds an agent's bundle; as the others when absent. */
  readonly homeBytes?: number
  /** How many files and folders the writable folders may hold together. */
  readonly workFiles: number
  readonly cpuSeconds?: number
}

export interface SandboxNetwork {
  /** The unix socket of this trial's gateway. It names the trial, so there is no credential to leak. */
  readonly gatewaySocket: string
  /** For the process driver, which has no network namespace: the gateway's proxy address with its secret. */
  readonly gatewayUrl?: string
  /** For the process driver: hosts that a preload sends to the gateway, by the base it gives for them. */
  readonly redirects?: Readonly<Record<string, string>>
  /** Names that resolve to the gateway for clients that ignore proxies. */
  readonly hosts: readonly string[]
  /** PEM of every authority the job trusts: the system's and the deployment's own. */
  readonly authorities: string
}

export type FileTree = Readonly<Record<string, Uint8Array | string>>

export interface SandboxJob {
  /** A shell line, or an argument vector that is run without a shell. */
  readonly command: string | readonly string[] | ((paths: SandboxPaths) => readonly string[])
  readonly files?: FileTree
  /** A folder of this machine whose regular files are copied into the command's folder. */
  readonly folder?: string
  /** A .tar.gz that is unpacked into the command's folder, inside the sandbox. */
  readonly bundle?: Uint8Array
  /** A .tar.gz with what the command's files depend on, unpacked before the bundle in the same way. */
  readonly dependencies?: Uint8Array
  readonly inputs?: FileTree
  readonly env?: (paths: SandboxPaths) => Readonly<Record<string, string>>
  readonly stdin?: string
  readonly limits: SandboxLimits
  readonly network: 'none' | SandboxNetwork
  /** Folders of this machine to show read-only, by the path they have inside. */
  readonly readOnly?: Readonly<Record<string, string>>
  /** What to bring back from the work folder; nothing when absent. */
  readonly collect?: { readonly maxFiles: number; readonly maxBytes: number }
  /** Opens a private channel to the command as file descriptor 3 and keeps at most this many bytes of it. */
  readonly channelBytes?: number
  /** The image that the job sees instead of this machine's programs; held by the caller for as long. */
  readonly image?: UnpackedImage
  /** What a job with an image does with the folders of it; without, all of the image is read-only. */
  readonly imageUse?: ImageUse
  /** Called once when the command is about to start, by drivers whose launcher can be spoken to. */
  readonly onRunning?: (running: RunningJob) => void
  /** Programs live in this story's time, where the sandbox has the library for it; see `storyLibrary`. */
  readonly story?: StoryClock
}

/** How a job uses its image; every path is a full path in it. */
export interface ImageUse {
  /** Folders that the job may change: copies in memory of what the image has there. */
  readonly writable: readonly string[]
  /** Folders inside the writable ones that are emptied before `files` are laid out. */
  readonly emptied?: readonly string[]
  /** Files laid out inside the writable folders. */
  readonly files?: FileTree
  /** Files and folders to bring back besides the work folder, as `image` and their path. */
  readonly collect?: readonly string[]
  /** Where the command starts; where the image says when absent. */
  readonly start?: string | undefined
}

/** What can be asked of a job while it runs. */
export interface RunningJob {
  /** Asks for a connection to a port of the job, which arrives at the gateway with the ticket; see gateway/callers.ts. */
  readonly dial: (ticket: string, port: number) => void
  /** Ends a job that waits to be called, as if it had exited with 0; what it left is collected. */
  readonly finish: () => void
}

/**
 * Why a job is over: on its own (`exited`, or `killed` by a signal from within), never begun because its files or
 * bundle could not be laid out (`unfit`, explained on stderr), or ended by us for the reason named.
 */
export type Ended = 'exited' | 'killed' | 'unfit' | 'timeout' | 'memory' | 'output' | 'files' | 'cancelled'

export interface CapturedText {
  readonly text: string
  readonly truncated: boolean
}

export interface CollectedFile {
  readonly path: string
  readonly bytes: Uint8Array
}

export interface Collected {
  readonly files: readonly CollectedFile[]
  /** What was left behind, and why: links, devices, and whatever exceeded the limits. */
  readonly refused: readonly { readonly path: string; readonly reason: string }[]
  readonly truncated: boolean
}

export interface SandboxOutcome {
  readonly ended: Ended
  readonly exitCode: number | null
  readonly signal: string | null
  readonly stdout: CapturedText
  readonly stderr: CapturedText
  readonly durationMs: number
  readonly usage: { readonly peakMemoryBytes: number; readonly peakProcesses: number }
  readonly collected: Collected
  readonly channel: Uint8Array
}

export interface Sandbox extends AsyncDisposable {
  readonly isolation: Isolation
  /** Where the library came from that shows programs a story's time; why there is none, where there is none. */
  readonly storyLibrary: StoryLibrary
  /** Images that can be the root of jobs. */
  readonly images: Images
  run(job: SandboxJob, signal?: AbortSignal): Promise<SandboxOutcome>
}

export interface Images {
  /** The program that runs containers here, found out by trying it once; or why there is none. */
  available(): Promise<{ readonly runtime: string } | { readonly unavailable: string }>
  /** Unpacks an image, or finds it unpacked; throws a BadImage where it cannot be one. */
  hold(source: ImageSource): Promise<HeldImage>
}

export type StoryLibrary =
  | { readonly from: 'compiled' | 'prebuilt'; readonly path: string }
  | { readonly from: 'none'; readonly reason: string }

/** The platform could not run the job; the job itself is not to blame, and it may be tried again. */
export class SandboxFault extends Error {
  override readonly name = 'SandboxFault'
}

export interface SandboxOptions {
  readonly choice: 'auto' | Isolation
  /** A folder of the service for its sandbox; jobs do not see it. */
  readonly stateDir: string
  /** Where interpreters are looked for, in the form of PATH. */
  readonly searchPath: string
  /**
   * Where control groups for jobs are made: `auto` on its own where the service has its own group, `off`, or a
   * folder that the operator leaves to the service.
   */
  readonly controlGroup?: string
  /** Which program runs containers; the first of crun and runc that works when absent. */
  readonly imageRuntime?: 'auto' | 'crun' | 'runc' | 'runsc'
  readonly imageLimits?: ImageLimits
  /** Folders that no job may see, wherever they are, such as the data folder; the checkout is always hidden. */
  readonly hidden?: readonly string[]
  readonly log?: SandboxLog
}

/** Fields with a stable event name, then a sentence. */
export type SandboxLog = (
  fields: { readonly event: `${string}.${string}`; readonly [name: string]: unknown },
  message: string,
) => void

export type OpenedSandbox = { readonly sandbox: Sandbox } | { readonly unavailable: string }

export const scorerLimits: SandboxLimits = {
  wallMs: 30_000,
  memoryBytes: 512 * 2 ** 20,
  processes: 64,
  fileBytes: 32 * 2 ** 20,
  outputBytes: 256 * 2 ** 10,
  workBytes: 64 * 2 ** 20,
  workFiles: 2_000,
}

export const agentLimits: SandboxLimits = {
  wallMs: 600_000,
  memoryBytes: 2 * 2 ** 30,
  processes: 256,
  fileBytes: 128 * 2 ** 20,
  outputBytes: 4 * 2 ** 20,
  workBytes: 256 * 2 ** 20,
  homeBytes: 1280 * 2 ** 20,
  workFiles: 150_000,
}
