import { join } from 'node:path'
import { type Authority, openAuthority } from '@diorama/sandbox/gateway/authority'
import { openSandbox } from '@diorama/sandbox/open'
import type { OpenedSandbox } from '@diorama/sandbox/sandbox'
import type { Config } from '../config.ts'
import type { Log } from '../storage/log.ts'

/** The sandbox that all parts of a process share, opened when the first of them needs it. */
export interface SharedSandbox {
  open(): Promise<OpenedSandbox>
  close(): Promise<void>
}

export const createSharedSandbox = ({ config, log }: { config: Config; log: Log }): SharedSandbox => {
  let opening: Promise<OpenedSandbox> | undefined
  return {
    open: () => {
      opening ??= openSandbox({
        choice: config.sandbox,
        stateDir: join(config.dataDir, 'sandbox'),
        controlGroup: config.sandboxControlGroup,
        searchPath: config.searchPath,
        imageRuntime: config.imageRuntime,
        hidden: [config.dataDir],
        log: (fields, message) => log.info(fields, message),
      })
      return opening
    },
    close: async () => {
      const opened = await opening
      if (opened && 'sandbox' in opened) await opened.sandbox[Symbol.asyncDispose]()
    },
  }
}

/** The deployment's own certificate authority, opened when the first sandbox needs it. */
export const createSharedAuthority = (config: Config): (() => Promise<Authority>) => {
  let opening: Promise<Authority> | undefined
  return () => {
    opening ??= openAuthority({ stateDir: join(config.dataDir, 'authority') })
    return opening
  }
}
