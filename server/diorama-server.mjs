#!/usr/bin/env node
// Starts the service from its package, in the folder it is called from. Runs on whatever Node the machine has, and hands
// over to the Node 24 that came with the packages.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'

const fail = (text) => {
  process.stderr.write(`diorama: ${text}\n`)
  process.exit(1)
}

const findNode = () => {
  try {
    return createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`)
  } catch {
    fail('Node 24 is needed and did not come with the packages: install Node 24 and run this again.')
  }
}

if (Number(process.versions.node.split('.')[0]) >= 24) {
  await import('../sandbox/install.mjs')
  await import('./src/main.ts')
} else {
  const node = findNode()
  const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH ?? ''}` }
  const service = spawn(node, ['--no-warnings', ...process.argv.slice(1)], { stdio: 'inherit', env })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => service.kill(signal))
  service.on('error', (cause) => fail(`Node 24 did not start: ${cause.message}`))
  service.on('exit', (status, signal) => process.exit(status ?? (signal ? 1 : 0)))
}
