import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

/** How this machine reaches the network; a process in the root needs the same. */
const variables = [
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'PIP_CERT', 'GIT_SSL_CAINFO', 'PIP_INDEX_URL'],
  ...['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'],
]
const certificates = '/etc/ssl/certs/ca-certificates.crt'
const npmSetting = /^((@[\w.-]+:)?registry|\/\/.*|cafile|ca|strict-ssl|proxy|https-proxy|noproxy)\s*=/

/** Those of these variables that are set, as NAME=value. */
export const networkEnvironment = (): string[] =>
  variables.flatMap((name) => (process.env[name] ? [`${name}=${process.env[name]}`] : []))

/** The lines of the user's npm configuration that say where and how packages are fetched. */
const npmSettings = (): string[] => {
  const { npm_config_userconfig: fromNpm, NPM_CONFIG_USERCONFIG: fromUser } = process.env
  const path = fromNpm || fromUser || join(homedir(), '.npmrc')
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
  const { npm_config_registry, NPM_CONFIG_REGISTRY } = process.env
  const registry = npm_config_registry || NPM_CONFIG_REGISTRY
  return [...lines.filter((line) => npmSetting.test(line)), ...(registry ? [`registry=${registry}`] : [])]
}

const copyInto = (folder: string, path: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  copyFileSync(path, join(folder, path))
}

/** Gives a root the certificates, the proxies and the npm registry of this machine. */
export const connectAsMachine = (folder: string): void => {
  if (existsSync(certificates)) copyInto(folder, certificates)
  const settings = npmSettings()
  const named = [
    ...variables.map((name) => process.env[name] ?? ''),
    ...settings.map((line) => /^cafile\s*=\s*(\S+)/.exec(line)?.[1] ?? ''),
  ]
  for (const path of new Set(named))
    if (path.startsWith('/') && path !== certificates && existsSync(path)) copyInto(folder, path)
  const global = join(folder, 'usr/local/etc/npmrc')
  mkdirSync(dirname(global), { recursive: true })
  writeFileSync(global, settings.map((line) => `${line}\n`).join(''), { mode: 0o600 })
}
