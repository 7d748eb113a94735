import { BadConfiguration } from './bad-configuration.ts'
import type { CertificateFiles } from './http/tls/certificates.ts'
import type { ObjectStoreSettings } from './storage/objects/object-store.ts'

/** Variables that are right or wrong only together with others. */
interface JointSettings {
  readonly HOST: string
  readonly DIORAMA_BASE_URL?: string | undefined
  readonly DIORAMA_TWIN_ORIGIN?: string | undefined
  readonly DIORAMA_TLS_CERT_FILE?: string | undefined
  readonly DIORAMA_TLS_KEY_FILE?: string | undefined
  readonly DIORAMA_TLS_CA_FILE?: string | undefined
  readonly DIORAMA_S3_BUCKET?: string | undefined
  readonly DIORAMA_S3_ENDPOINT?: string | undefined
  readonly DIORAMA_S3_REGION: string
  readonly DIORAMA_S3_PREFIX: string
  readonly DIORAMA_S3_ACCESS_KEY_ID?: string | undefined
  readonly DIORAMA_S3_SECRET_ACCESS_KEY?: string | undefined
}

export const certificateFiles = (env: JointSettings): CertificateFiles | undefined => {
  const { DIORAMA_TLS_CERT_FILE: certFile, DIORAMA_TLS_KEY_FILE: keyFile, DIORAMA_TLS_CA_FILE: caFile } = env
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile, caFile }
  if (certFile === undefined && keyFile === undefined && caFile === undefined) return undefined
  const missing = certFile === undefined ? 'DIORAMA_TLS_CERT_FILE' : 'DIORAMA_TLS_KEY_FILE'
  throw new BadConfiguration(`${missing}: must be set together with the other TLS files`)
}

export const objectStore = (env: JointSettings): ObjectStoreSettings | undefined => {
  const {
    DIORAMA_S3_BUCKET: bucket,
    DIORAMA_S3_ACCESS_KEY_ID: accessKeyId,
    DIORAMA_S3_SECRET_ACCESS_KEY: secretAccessKey,
    DIORAMA_S3_REGION: region,
  } = env
  if (bucket === undefined) {
    if (accessKeyId === undefined && secretAccessKey === undefined && env.DIORAMA_S3_ENDPOINT === undefined)
      return undefined
    throw new BadConfiguration('DIORAMA_S3_BUCKET: must be set together with the other settings of the store')
  }
  if (accessKeyId === undefined)
    throw new BadConfiguration('DIORAMA_S3_ACCESS_KEY_ID: must be set together with DIORAMA_S3_BUCKET')
  if (secretAccessKey === undefined)
    throw new BadConfiguration('DIORAMA_S3_SECRET_ACCESS_KEY: must be set together with DIORAMA_S3_BUCKET')
  return {
    ...{ bucket, region, accessKeyId, secretAccessKey },
    endpoint: env.DIORAMA_S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`,
    prefix: env.DIORAMA_S3_PREFIX.replace(/\/*$/, env.DIORAMA_S3_PREFIX === '' ? '' : '/'),
  }
}

/** Cookies and pages are kept apart by host name, and by nothing less. */
export const twinOrigin = (env: JointSettings): string | undefined => {
  if (env.DIORAMA_TWIN_ORIGIN === undefined) return undefined
  const { origin, pathname, search, hostname } = new URL(env.DIORAMA_TWIN_ORIGIN)
  const consoleHost = env.DIORAMA_BASE_URL === undefined ? env.HOST : new URL(env.DIORAMA_BASE_URL).hostname
  if (pathname !== '/' || search !== '')
    throw new BadConfiguration('DIORAMA_TWIN_ORIGIN: must be a scheme and a host, without a path')
  if (hostname === consoleHost)
    throw new BadConfiguration('DIORAMA_TWIN_ORIGIN: must have a host name other than that of the console')
  return origin
}
