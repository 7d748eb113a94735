// `npm run bench [name …]`: prints ratios against a baseline measured in the same run.
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { environment, findNode, install, root, run, say } from './setup.mjs'

install('all')
const node = findNode()
const wanted = process.argv.slice(2)
const benches = readdirSync(join(root, 'bench'))
  .filter((file) => /^[a-z]+\.ts$/.test(file))
  .map((file) => basename(file, '.ts'))
for (const name of benches.sort()) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  say(`bench ${name}`)
  run(node, ['--expose-gc', join(root, 'bench', `${name}.ts`)], { env: environment(node) })
}
