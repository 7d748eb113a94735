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
    log?.({ event: 'sandbox.groups', controllers: held.groups.controllers }, 'control groups hold each job')
  else log?.({ event: 'sandbox.no_groups', reason: held.unavailable }, 'no control groups hold jobs')
  if (options.choice === 'process') {
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
