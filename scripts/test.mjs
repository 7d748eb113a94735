// `npm test`: installs what is missing, checks types and style, then runs every quick test.
// `npm test -- --slow` runs the slow ones instead; `npm test -- <files>` runs those files alone.
import { join } from 'node:path'
import { environment, findNode, install, root, run } from './setup.mjs'

install('all')
const node = findNode()
const env = environment(node)
run(node, [join(root, 'sandbox', 'install.mjs')], { env })
run(node, [join(root, 'scripts', 'run-tests.mjs'), ...process.argv.slice(2)], { env })
