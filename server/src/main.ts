import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { hostname, networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import { openApp } from './app.ts'
import { readConfig } from './config.ts'
import { openLog } from './http/log.ts'
import { checkAddress, makeFolder } from './preflight.ts'
import { describeCrash, explainStartFailure } from './start-failure.ts'
import { type Log, silentLog } from './storage/log.ts'
import { openStorage } from './storage/storage.ts'

/** The one place that reads the environment, the clock, randomness and the network interfaces. */
const start = async () => {
  const config = readConfig(process.env)
  const dataDir = resolve(config.dataDir)
  await makeFolder(dataDir)
  await checkAddress(config)
  const full = openLog({ now: Date.now, write: (line) => process.stdout.write(line) })
  const log: Log =
    config.log === 'none' ? silentLog : config.log === 'warnings' ? { ...full, info: () => {} } : full
  const storage = await openStorage({
    ...(config.databaseUrl === undefined ? {} : { databaseUrl: config.databaseUrl }),
    dataDir,
    log,
    now: Date.now,
    random: randomBytes,
  })
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  const app = await openApp({
    config: { ...config, dataDir },
    storage,
    log,
    now: storage.clock.now,
    random: randomBytes,
    version: manifest.version,
    holder: `${hostname()}:${process.pid}:${randomBytes(6).toString('hex')}`,
    addresses: () => Object.values(networkInterfaces()).flatMap((found) => found ?? []),
  }).catch(async (error) => {
    await storage.close()
    throw error
  })
  announce(app.baseUrl, app.firstKey, dataDir)
  return async () => {
    await app.drain()
    await storage.close()
  }
}

const announce = (baseUrl: string, firstKey: string | undefined, dataDir: string) => {
  const lines = [`Diorama is ready at ${baseUrl}`, `  Console    ${baseUrl}/`, `  Reference  ${baseUrl}/docs`]
  if (firstKey)
    lines.push(`  API key    ${firstKey}`, `             shown only once; also stored in ${dataDir}/api-key`)
  process.stderr.write(`${lines.join('\n')}\n`)
}

/** A second signal while stopping changes nothing. */
const once = (work: () => void) => {
  let done = false
  return () => {
    if (done) return
    done = true
    work()
  }
}

const starting = start()

/** Heard from the first moment on: a signal during the start ends it as soon as it is there. */
const end = once(() => {
  starting
    .then((stop) => stop())
    .then(
      () => process.exit(0),
      (error) => {
        process.stderr.write(`Diorama did not stop cleanly: ${String(error)}\n`)
        process.exit(1)
      },
    )
})
process.on('uncaughtException', (error) => {
  process.stderr.write(`diorama: ${describeCrash(error)}\n`)
  process.exit(1)
})
process.on('SIGTERM', end)
process.on('SIGINT', end)

try {
  await starting
} catch (error) {
  const dataDir = resolve(process.env.DIORAMA_DATA_DIR || '.diorama')
  const known = explainStartFailure(error, { dataDir })
  process.stderr.write(`diorama: ${known ?? describeCrash(error)}\n`)
  process.exit(1)
}
