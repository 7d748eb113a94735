import { openBubblewrap } from './drivers/bubblewrap.ts'
import { openProcessDriver } from './drivers/process.ts'
import { openControlGroups } from './limits/control-groups.ts'
import type { OpenedSandbox, SandboxOptions } from './sandbox.ts'

const installHint =
  'Install bubblewrap and python3 (Debian and Ubuntu: apt-get install bubblewrap python3) and allow user namespaces, ' +
  'or set DIORAMA_SANDBOX=process to accept weaker isolation for agents you trust.'

/** Tries the chosen driver once. The weaker driver is never chosen for the user. */
export const openSandbox = async (options: SandboxOptions): Promise<OpenedSandbox> => {
  const { controlGroup = 'auto', log } = options
  const held = await openControlGroups(controlGroup)
  if ('unavailable' in held && !['auto', 'off'].includes(controlGroup))
    return { unavailable: `DIORAMA_SANDBOX_CGROUP: ${held.unavailable}.` }
  const groups = 'groups' in held ? held.groups : undefined
  if ('groups' in held)
    log?.(`Sandbox: control groups hold each job's ${held.groups.controllers.join(' and ')}.`)
  else log?.(`Sandbox: without control groups, since ${held.unavailable}.`)
  if (options.choice === 'process') {
    log?.('Sandbox: process. Jobs are not isolated from this machine; run only code you trust.')
    const opened = await openProcessDriver(options, groups)
    if ('sandbox' in opened) return opened
    await groups?.[Symbol.asyncDispose]()
    return { unavailable: `Jobs cannot be run here: ${opened.unavailable}` }
  }
  const opened = await openBubblewrap(options, groups)
  if ('sandbox' in opened) return opened
  await groups?.[Symbol.asyncDispose]()
  return { unavailable: `No sandbox on this machine: ${opened.unavailable} ${installHint}` }
}
