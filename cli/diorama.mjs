#!/usr/bin/env node
// Runs on whatever Node the machine has, and hands over to the Node 24 that came with the packages. A verdict against
// an agent is exit status 1, which is also how Node ends after a crash: here everything that is no verdict ends with 3.
import { spawn } from 'node:child_process'
import nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'

const error = 3
const interrupted = 130
const statuses = [0, 1, 2, error, interrupted]

const fail = (text) => {
  process.stderr.write(`diorama: ${text}\n`)
  process.exit(error)
}

const findNode = () => {
  try {
    return nodeModule
      .createRequire(import.meta.url)
      .resolve(`node-${process.platform}-${process.arch}/bin/node`)
  } catch {
    fail('Node 24 is needed and did not come with the packages: install Node 24 and run this again.')
  }
}

const runHere = async () => {
  const crashed = (cause) => fail(`this is a bug: ${cause?.stack ?? cause}`)
  process.on('uncaughtException', crashed)
  process.on('unhandledRejection', crashed)
  // Compiled code is kept between commands, which halves the time until a command does something.
  if (!process.env.NODE_COMPILE_CACHE)
    nodeModule.enableCompileCache(
      fileURLToPath(new URL('../node_modules/.cache/diorama-compile', import.meta.url)),
    )
  await import('./main.ts')
}

const runThere = () => {
  const command = spawn(findNode(), ['--no-warnings', ...process.argv.slice(1)], { stdio: 'inherit' })
  // A terminal interrupts both; the command decides how it ends.
  process.on('SIGINT', () => {})
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => command.kill(signal))
  command.on('error', (cause) => fail(`Node 24 did not start: ${cause.message}`))
  command.on('exit', (status, signal) => {
    if (signal === 'SIGINT' || signal === 'SIGTERM') process.exit(interrupted)
    process.exit(statuses.includes(status) ? status : error)
  })
}

if (Number(process.versions.node.split('.')[0]) >= 24) await runHere()
else runThere()
