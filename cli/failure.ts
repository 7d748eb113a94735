import { DioramaError } from '@diorama/sdk/index.ts'
import { CommanderError } from 'commander'
import { type Paint, painter, type Terminal } from './terminal.ts'

/** What the command line ends with. Scripts read these. */
export const exitCodes = { pass: 0, fail: 1, inconclusive: 2, error: 3, interrupted: 130 } as const

/** Something that the user can mend, said in words. */
export class Complaint extends Error {
  override readonly name = 'Complaint'
}

const systemErrors: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'it is not a folder',
}

/** A file or folder of the user that cannot be read, with the reason in words. */
export const unreadable = (path: string, cause: NodeJS.ErrnoException, hint = ''): Complaint =>
  new Complaint(
    `${path} cannot be read: ${systemErrors[cause.code ?? ''] ?? cause.code ?? cause.message}.${hint}`,
    { cause },
  )

/** Says why a command did not work, and gives the status to end with. */
export const report = (error: unknown, terminal: Terminal, json: boolean): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.pass : exitCodes.error
  if (terminal.signal.aborted) return exitCodes.interrupted
  if (terminal.readerGone.aborted && isAbort(error)) return exitCodes.pass
  const paint = painter(terminal.colour.err)
  if (json) terminal.err(`${JSON.stringify(asJson(error))}\n`)
  else terminal.err(`${inWords(error, paint)}\n`)
  return exitCodes.error
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError'

const asJson = (error: unknown): object => {
  if (error instanceof DioramaError) {
    const { message, code, status, requestId, details } = error
    return { error: message, code, status, request_id: requestId ?? null, details }
  }
  return { error: messageOf(error), code: error instanceof Complaint ? 'usage' : 'client_error' }
}

const inWords = (error: unknown, paint: Paint): string => {
  const head = `${paint('red', 'error:')} ${messageOf(error)}`
  if (!(error instanceof DioramaError)) return head
  const { code, status, requestId, details } = error
  const facts = [
    code && `code ${code}`,
    status > 0 && `status ${status}`,
    requestId && `request ${requestId}`,
  ].filter(Boolean)
  return [
    head,
    ...details
      .filter(({ pointer, message }) => !head.includes(`${pointer} ${message}`))
      .map(({ pointer, message }) => `  ${paint('cyan', pointer || '/')} ${message}`),
    ...(facts.length > 0 ? [paint('dim', `  ${facts.join(' · ')}`)] : []),
    ...hint(error).map((line) => `  ${line}`),
  ].join('\n')
}

const hint = ({ code, status }: DioramaError): string[] => {
  if (code === 'network_error')
    return ['Start the service with `diorama up`, or specify its address with --url.']
  if (status === 401)
    return [
      'Specify a key with --key or DIORAMA_API_KEY, or run the command where the data folder (.diorama) is.',
    ]
  return []
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
