// `npm run check`: types, lint and format; layers and tidiness are separate tests that run with them.
import { join } from 'node:path'
import { environment, findNode, install, root, run, say } from './setup.mjs'

install('all')
const node = findNode()
const env = environment(node)
const bin = (name) => join(root, 'node_modules', '.bin', name)
say('checking types')
run(bin('tsc'), ['--noEmit', '-p', root], { env })
run(bin('tsc'), ['--noEmit', '-p', join(root, 'console')], { env })
say('checking style')
run(bin('biome'), ['check', '--diagnostic-level=error', root], { env })
if (process.argv.includes('--all')) run(node, ['--test', 'test/*.test.ts'], { env })
