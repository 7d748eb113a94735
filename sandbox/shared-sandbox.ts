import { openSandbox } from './open.ts'
import type { OpenedSandbox, Sandbox, SandboxOptions } from './sandbox.ts'

/** The sandbox that all parts of a process share, opened when the first of them needs it. */
export interface SharedSandbox {
  open(): Promise<OpenedSandbox>
  /** The sandbox; throws where none works. */
  require(): Promise<Sandbox>
  close(): Promise<void>
}

export const createSharedSandbox = (options: SandboxOptions): SharedSandbox => {
  let opening: Promise<OpenedSandbox> | undefined
  /** One that could not be opened, as on a full disk, is tried again when it is next asked for. */
  const tryOpen = async (): Promise<OpenedSandbox> => {
    const opened = await openSandbox(options)
    if (!('sandbox' in opened)) opening = undefined
    return opened
  }
  const open = (): Promise<OpenedSandbox> => {
    opening ??= tryOpen()
    return opening
  }
  return {
    open,
    require: async () => {
      const opened = await open()
      if ('sandbox' in opened) return opened.sandbox
      throw new Error(opened.unavailable)
    },
    close: async () => {
      const opened = await opening
      if (opened && 'sandbox' in opened) await opened.sandbox[Symbol.asyncDispose]()
    },
  }
}
