/**
 * Makes sure that bubblewrap is there: `node sandbox/install.mjs`. It changes the machine only where it may (Linux,
 * root, apt-get) and says so first; otherwise it says what to do. It never fails a start: without bubblewrap the
 * service still runs, and evaluations answer with the reason.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

function has(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return folder !== ''
    } catch {
      return false
    }
  })
}

function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return (
    spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env, timeout: 300_000 }).status === 0
  )
}

function install() {
  if (process.platform !== 'linux')
    return 'Sandbox: bubblewrap needs Linux; evaluations will be unavailable here.'
  if (has('bwrap')) return undefined
  const byHand = 'Install the package bubblewrap with your system’s package manager to run evaluations.'
  if (process.getuid?.() !== 0) return `Sandbox: bubblewrap is missing. ${byHand}`
  if (!has('apt-get')) return `Sandbox: bubblewrap is missing and there is no apt-get here. ${byHand}`
  console.log(
    'Sandbox: installing the package bubblewrap with apt-get, which runs agents apart from this machine.',
  )
  const installed =
    apt('install', '-y', 'bubblewrap') || (apt('update') && apt('install', '-y', 'bubblewrap'))
  return installed
    ? 'Sandbox: bubblewrap is installed.'
    : `Sandbox: apt-get could not install bubblewrap. ${byHand}`
}

const said = install()
if (said) console.log(said)
