#!/usr/bin/env node
// Runs on whatever Node the machine has, and hands over to the Node 24 that came with the packages: the command line
// is TypeScript, which older ones cannot run.
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const findNode = () => {
  try {
    return createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`)
  } catch {
    return process.execPath
  }
}

const node = Number(process.versions.node.split('.')[0]) >= 24 ? process.execPath : findNode()
if (node === process.execPath && Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write('diorama: Node 24 is needed; run `npm ci` in the repository, or install Node 24.\n')
  process.exit(3)
}
const main = fileURLToPath(new URL('./main.ts', import.meta.url))
// Compiled code is kept between commands, which halves the time until a command does something.
const cache = fileURLToPath(new URL('../node_modules/.cache/diorama-compile', import.meta.url))
const command = spawn(node, ['--no-warnings', main, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { NODE_COMPILE_CACHE: cache, ...process.env },
})
// A terminal interrupts both by itself; the command decides how it ends.
process.on('SIGINT', () => {})
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => command.kill(signal))
command.on('exit', (status, signal) => {
  process.exitCode = status ?? (signal ? 130 : 3)
})
