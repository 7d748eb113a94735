// `npm run packages [name …] [-- --out folder]`: installs what is missing and makes the published packages.
import { join } from 'node:path'
import { environment, findNode, install, root, run } from './setup.mjs'

install('all')
const node = findNode()
const env = environment(node)
run(node, [join(root, 'console', 'build.mjs'), '--required'], { env })
run(node, [join(root, 'scripts', 'packages', 'build.mjs'), ...process.argv.slice(2)], { env })
