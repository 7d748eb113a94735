// `npm run examples:prove [company …]`: in every company of the library an oracle passes each task, and agents that
// do nothing or meddle pass none. Shows the table and ends with 1 when that does not hold.
import { join } from 'node:path'
import { environment, findNode, install, root, run } from './setup.mjs'

install('all')
const node = findNode()
const env = environment(node)
run(node, [join(root, 'sandbox', 'install.mjs')], { env })
run(node, [join(root, 'examples', 'prove.ts'), ...process.argv.slice(2)], { env })
