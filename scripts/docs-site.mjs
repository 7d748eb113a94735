// `npm run docs:site [-- --out folder]`: the handbook as static HTML, in artifacts/docs-site unless you name a folder.
// `npm run docs:site -- --pictures` first takes the pictures of the handbook from what `npm run console:shots` made.
import { join } from 'node:path'
import { environment, findNode, install, root, run } from './setup.mjs'

install('product')
const node = findNode()
run(node, [join(root, 'scripts', 'docs-site', 'build.ts'), ...process.argv.slice(2)], {
  env: environment(node),
})
