// `npm run packages [name …] [-- --out folder]`: installs what is missing and makes the published packages.
// `npm run packages -- --publish [option of npm publish …]` publishes them afterwards.
import { join } from 'node:path'
import { environment, findNode, install, root, run } from './setup.mjs'

install('all')
const node = findNode()
const env = environment(node)
run(node, [join(root, 'console', 'build.mjs'), '--required'], { env })
const words = process.argv.slice(2)
const publish = words.indexOf('--publish')
const forBuild = publish < 0 ? words : words.slice(0, publish)
run(node, [join(root, 'scripts', 'packages', 'build.mjs'), ...forBuild], { env })
if (publish >= 0)
  run(node, [join(root, 'scripts', 'packages', 'publish.mjs'), ...words.slice(publish + 1)], { env })
