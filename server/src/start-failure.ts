import { BadConfiguration } from './bad-configuration.ts'
import { StorageFailure } from './storage/failure.ts'

interface SystemError extends Error {
  readonly code: string
  readonly syscall?: string
  readonly address?: string
  readonly port?: number
  readonly path?: string
}

const isSystemError = (error: unknown): error is SystemError =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'

const notWritable = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOENT'])

/**
 * Why the service did not start, in a sentence that says what to do; undefined for an unexpected failure, which is shown
 * with its stack.
 */
export const explainStartFailure = (error: unknown, { dataDir }: { dataDir: string }): string | undefined => {
  if (error instanceof BadConfiguration) return `The configuration is not valid:\n${error.message}`
  if (error instanceof StorageFailure) return error.message
  if (!isSystemError(error)) return undefined
  if (error.syscall === 'listen' || error.syscall === 'getaddrinfo') return explainListen(error)
  if (error.code === 'ENOSPC')
    return `The disk that holds ${dataDir} is full. Free some space and start again.`
  if (notWritable.has(error.code) && isWithin(error.path, dataDir))
    return (
      `The data folder ${dataDir} cannot be written (${error.code} at ${error.path}). ` +
      'Set DIORAMA_DATA_DIR to a folder that this user may write to, or change its owner.'
    )
  return undefined
}

/** A file of the data folder, the folder itself or one above it. */
const isWithin = (path: string | undefined, dataDir: string): boolean =>
  path !== undefined && (path.startsWith(dataDir) || dataDir.startsWith(path))

const explainListen = ({ code, address, port }: SystemError): string => {
  const place = `${address ?? 'the address'}${port === undefined ? '' : `:${port}`}`
  if (code === 'EADDRINUSE')
    return `The address ${place} is already in use. Stop the program that uses it, or set PORT to a free port (PORT=0 chooses one).`
  if (code === 'EACCES')
    return `No permission to listen on ${place}. Set PORT to a port above 1023, or put a proxy in front.`
  return `The service cannot listen on ${place} (${code}). Set HOST to an address of this machine.`
}

/** An unexpected failure: its cause in the first line, and where it was made below. */
export const describeCrash = (error: unknown): string => {
  if (!(error instanceof Error)) return `The service crashed: ${String(error)}`
  const cause = error.cause instanceof Error ? `, because ${error.cause.message}` : ''
  const [, ...places] = (error.stack ?? '').split('\n    at ')
  const first = `The service crashed: ${`${error.message}${cause}`.replaceAll(/\s*\n\s*/g, ' ')}`
  return [first, ...places.map((place) => `    at ${place}`)].join('\n')
}
