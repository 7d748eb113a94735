// `npm run twin -- twins/notes`: runs one twin alone on loopback.
import { join } from 'node:path'
import { environment, findNode, install, root, run } from './setup.mjs'

install('product')
const node = findNode()
run(node, [join(root, 'twin-kit', 'serve', 'main.ts'), ...process.argv.slice(2)], { env: environment(node) })
