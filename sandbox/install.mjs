/**
 * Makes sure that bubblewrap and python3 are there: `node sandbox/install.mjs`. It changes the machine only where it
 * may (Linux, root, apt-get) and says so first; otherwise it says what to do. It never fails a start: without them the
 * service still runs, and evaluations answer with the reason.
 */
import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { compileHere } from './preload/story/build.mjs'

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
  const missing = Object.entries({ bwrap: 'bubblewrap', python3: 'python3' }).flatMap(([program, name]) =>
    has(program) ? [] : [name],
  )
  if (missing.length === 0) return undefined
  const names = missing.join(' and ')
  const byHand = `Install ${names} with your system’s package manager to run evaluations.`
  if (process.getuid?.() !== 0) return `Sandbox: missing ${names}. ${byHand}`
  if (!has('apt-get')) return `Sandbox: missing ${names}, and there is no apt-get here. ${byHand}`
  console.log(`Sandbox: installing ${names} with apt-get, to run agents apart from this machine.`)
  const wanted = ['install', '-y', '--no-install-recommends', ...missing]
  return apt(...wanted) || (apt('update') && apt(...wanted))
    ? `Sandbox: installed ${names}.`
    : `Sandbox: apt-get could not install ${names}. ${byHand}`
}

for (const said of [install(), compileHere()]) if (said) console.log(said)
