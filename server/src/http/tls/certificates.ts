import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Log } from '../../storage/log.ts'

export interface CertificateFiles {
  readonly certFile: string
  readonly keyFile: string
  /** Whose certificates other nodes have; they are asked for one when it is set. */
  readonly caFile: string | undefined
}

/** What this node shows, and whom it believes. */
export interface Identity {
  readonly cert: string
  readonly key: string
  readonly ca?: string
}

export interface Certificates {
  readonly current: () => Identity
  /** Whether other nodes must show a certificate. */
  readonly areMutual: boolean
  /** Reads the files again; a pair that does not fit is logged, and the one in use stays. */
  readonly reload: () => Promise<void>
  readonly onChange: (listener: (identity: Identity) => void) => void
}

/** A certificate and its key from files, which may be renewed while the service runs. */
export const openCertificates = async (files: CertificateFiles, log: Log): Promise<Certificates> => {
  let identity = await read(files)
  const listeners: ((identity: Identity) => void)[] = []
  return {
    current: () => identity,
    areMutual: files.caFile !== undefined,
    reload: async () => {
      try {
        const found = await read(files)
        if (JSON.stringify(found) === JSON.stringify(identity)) return
        identity = found
        for (const listener of listeners) listener(found)
        log.info({ event: 'tls.reloaded', file: files.certFile }, 'The certificate was renewed.')
      } catch (error) {
        log.warn(
          { event: 'tls.reload_failed', error },
          'The certificate could not be renewed; the last one is used.',
        )
      }
    },
    onChange: (listener) => void listeners.push(listener),
  }
}

const read = async ({ certFile, keyFile, caFile }: CertificateFiles): Promise<Identity> => {
  const [cert, key, ca] = await Promise.all([
    textOf('DIORAMA_TLS_CERT_FILE', certFile),
    textOf('DIORAMA_TLS_KEY_FILE', keyFile),
    caFile === undefined ? undefined : textOf('DIORAMA_TLS_CA_FILE', caFile),
  ])
  const identity = { cert, key, ...(ca === undefined ? {} : { ca }) }
  try {
    createSecureContext(identity)
  } catch (cause) {
    throw new Error(
      `The certificate ${certFile} and the key ${keyFile} cannot be used: ${messageOf(cause)}. Both must be PEM files, and belong together.`,
      { cause },
    )
  }
  return identity
}

const textOf = async (variable: string, path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new Error(`${variable} names a file that cannot be read: ${messageOf(cause)}.`, { cause })
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
