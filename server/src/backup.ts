import { describeCrash, explainStartFailure } from './start-failure.ts'
import { backUpEmbedded } from './storage/embedded/backup.ts'

/** The entry point of `npm run backup -- <folder>`. */
const dataDir = process.env.DIORAMA_DATA_DIR || '.diorama'
const [target] = process.argv.slice(2)
if (target === undefined) {
  process.stderr.write('usage: npm run backup -- <folder>\n')
  process.exit(2)
}
try {
  await backUpEmbedded({ dataDir, target })
  process.stdout.write(
    `The backup is in ${target}. Start a service with DIORAMA_DATA_DIR=${target} to use it.\n`,
  )
} catch (error) {
  process.stderr.write(`diorama: ${explainStartFailure(error, { dataDir }) ?? describeCrash(error)}\n`)
  process.exit(1)
}
