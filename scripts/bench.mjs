// `npm run bench [name …]`: prints ratios against a baseline measured in the same run.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { environment, findNode, install, root, run, say } from './setup.mjs'

install('all')
const node = findNode()
const wanted = process.argv.slice(2)
// A benchmark is a file, or a folder with a file called bench.
const benches = new Map(
  readdirSync(join(root, 'bench'), { recursive: true })
    .filter((file) => /^([a-z]+|[a-z]+[\\/]bench)\.ts$/.test(file))
    .map((file) => [file.split(/[\\/.]/, 1)[0], file]),
)
for (const [name, file] of [...benches].sort()) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  say(`bench ${name}`)
  run(node, ['--expose-gc', join(root, 'bench', file)], { env: environment(node) })
}
