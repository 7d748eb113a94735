// `npm run console:shots [part of an address …]`: pictures of every page of the console at three widths, light and dark,
// in artifacts/console-shots, to be looked at.
import { join } from 'node:path'
import { environment, findNode, install, root, run } from './setup.mjs'

install('all')
const node = findNode()
const env = environment(node)
run(node, [join(root, 'sandbox', 'install.mjs')], { env })
run(node, [join(root, 'console', 'shots.ts'), ...process.argv.slice(2)], { env })
