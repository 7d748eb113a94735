// `npm run backup -- <folder>`: copies the data folder of a running service with an embedded database.
import { join } from 'node:path'
import { environment, findNode, install, root, run } from '../scripts/setup.mjs'

install('product')
const node = findNode()
run(node, [join(root, 'server', 'src', 'backup.ts'), ...process.argv.slice(2)], { env: environment(node) })
