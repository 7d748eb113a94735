// Publishes the packages that were built, each after those that it needs. Versions that the registry has already are passed over, so it can be repeated.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { publishOrder, root, scope, version } from './table.mjs'

for (const name of publishOrder()) {
  const published = spawnSync('npm', ['view', `${scope}/${name}@${version}`, 'version'], { encoding: 'utf8' })
  if (published.status === 0 && published.stdout.trim() === version) {
    process.stdout.write(`${scope}/${name}@${version} is published already\n`)
    continue
  }
  const folder = join(root, 'artifacts', 'packages', name)
  const ran = spawnSync('npm', ['publish', ...process.argv.slice(2), folder], { stdio: 'inherit' })
  if (ran.status !== 0) process.exit(ran.status ?? 1)
}
