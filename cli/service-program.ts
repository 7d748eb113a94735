import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { projectRoot } from './connection.ts'
import { Complaint } from './failure.ts'

/** In a checkout the script that installs what is missing; else the package of the service, which this one needs. */
export const starterOfService = (): string => {
  const script = join(projectRoot, 'scripts', 'start.mjs')
  if (existsSync(script)) return script
  try {
    const manifest = createRequire(import.meta.url).resolve('@diorama-dev/server/package.json')
    return join(dirname(manifest), 'server', 'diorama-server.mjs')
  } catch (cause) {
    throw new Complaint(
      'The service package is not installed. Run `npm install @diorama-dev/server`, or specify a running service with --url.',
      { cause },
    )
  }
}
